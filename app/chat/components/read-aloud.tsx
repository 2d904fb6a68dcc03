import { textOfReply } from "./conversation";
import type { Reply } from "./conversation";
import { ChatNoticeCard } from "./chat-notice-card";
import { Icon } from "./icon";
import { useChatSession, useChatState } from "./use-chat";

/** Begins to read a message aloud; while it is read, the way to pause, skip and stop. */
export function ReadAloud({ reply }: { reply: Reply }) {
  const { speech } = useChatSession();
  const state = useChatState("speech");
  const isRead = state.messageId === reply.id;
  if (!isRead && !state.isOffered) return null;
  if (!isRead) {
    return (
      <button
        type="button"
        className="quiet-action"
        aria-label="Read aloud"
        onClick={() =>
          speech.start({
            messageId: reply.id,
            text: textOfReply(reply),
            isComplete: reply.status !== "streaming",
          })
        }
      >
        <Icon name="speak" />
      </button>
    );
  }
  const isPaused = state.status === "paused";
  return (
    <span className="speech" role="group" aria-label="Reading aloud">
      <button
        type="button"
        className="quiet-action"
        aria-label={isPaused ? "Go on reading" : "Pause reading"}
        onClick={isPaused ? speech.resume : speech.pause}
      >
        {state.status === "waiting" ? (
          <span className="spinner" aria-hidden="true" />
        ) : (
          <Icon name={isPaused ? "play" : "pause"} />
        )}
      </button>
      <input
        type="range"
        aria-label="Place in the text"
        aria-valuetext={`Part ${state.at + 1} of ${Math.max(1, state.count)}`}
        min={0}
        max={Math.max(1, state.count - 1)}
        value={state.at}
        onChange={(event) => speech.seek(Number(event.target.value))}
      />
      <button type="button" className="quiet-action" aria-label="Stop reading" onClick={speech.stop}>
        <Icon name="cross" />
      </button>
    </span>
  );
}

/** Why nothing is heard. */
export function SpeechNotice() {
  const { notice } = useChatState("speech");
  return notice ? <ChatNoticeCard notice={notice} /> : null;
}
