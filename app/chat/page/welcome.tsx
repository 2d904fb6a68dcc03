import { ChatNoticeCard } from "./chat-notice-card";
import { focusComposer } from "./composer";
import { useChatSession, useChatState } from "./conversation/chat-context";

const suggestions = [
  "What is this place?",
  "How do I get a key, and what does it open?",
  "What is the one-time form?",
];

export function Welcome({ requiresSignIn }: { requiresSignIn: boolean }) {
  const session = useChatSession();

  function ask(text: string): void {
    session.send(text);
    focusComposer();
  }

  const barrier = useChatState("barrier");
  const isLoaded = useChatState("isLoaded");
  const isOnline = useChatState("isOnline");
  return (
    <div className="stack welcome">
      <h2>What would you like to know?</h2>
      <p className="lead">
        The assistant searches this site&rsquo;s own documents and names the passages it read. Conversations
        stay in your browser, except for the messages you send.
      </p>
      {requiresSignIn && !isLoaded ? (
        <p className="soft">
          The conversation is for holders of a key: <a href="/gate">sign in at the gate</a> first.
        </p>
      ) : null}
      {barrier ? (
        <ChatNoticeCard notice={barrier} />
      ) : (
        <ul className="row suggestions" aria-label="Questions to begin with">
          {suggestions.map((text) => (
            <li key={text}>
              <button type="button" disabled={!isLoaded || !isOnline} onClick={() => ask(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
      <noscript>
        <p className="notice tone-info">This page needs JavaScript. Programs can use the chat over HTTP.</p>
      </noscript>
    </div>
  );
}
