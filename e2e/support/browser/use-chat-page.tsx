import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";

const statuses: string[] = [];

type ChatPageProps = { resumableId?: string };

/**
 * The smallest possible page with the hook. Without options it uses `/api/chat`. Otherwise only the options for
 * resuming replies are set.
 */
function ChatPage({ resumableId }: ChatPageProps) {
  const [resuming] = useState(() =>
    resumableId === undefined
      ? {}
      : {
          id: resumableId,
          resume: true,
          transport: new DefaultChatTransport({ headers: { "X-Chat-Resumable": "1" } }),
        },
  );
  const { messages, status, error, sendMessage, stop } = useChat(resuming);
  const [text, setText] = useState("");
  useEffect(() => void statuses.push(status), [status]);
  return (
    <>
      <label>
        Question
        <input value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <button onClick={() => void sendMessage({ text })}>Send</button>
      <button onClick={() => void stop()}>Stop</button>
      <p role="status">{status}</p>
      {error && <p role="alert">{error.message}</p>}
      {messages.map(({ id, role, parts }) => (
        <article key={id} aria-label={role}>
          {parts.map((part, index) => (
            <p key={index}>{part.type === "text" ? part.text : JSON.stringify(part)}</p>
          ))}
        </article>
      ))}
    </>
  );
}

export function start(props: ChatPageProps = {}): string[] {
  createRoot(document.body.appendChild(document.createElement("main"))).render(<ChatPage {...props} />);
  return statuses;
}
