import { toSpeakableText } from "~/speech/speakable-text";
import { textOfReply } from "./conversation/conversation";
import type { Reply } from "./conversation/conversation";

/** Gives a screen reader time to read a sentence. */
const everyMs = 4_000;

export type Announcer = ReturnType<typeof createAnnouncer>;

/** Feeds a polite live region: whole sentences of the growing reply, and how it ended. */
export function createAnnouncer(say: (text: string) => void) {
  let saidChars = 0;
  let lastAtMs = 0;
  let followedId: string | null = null;

  /** The text so far was announced before, or can be read. */
  function skip(reply: Reply): void {
    followedId = reply.id;
    saidChars = textOfReply(reply).length;
    lastAtMs = Date.now();
  }

  function follow(reply: Reply): void {
    if (reply.id !== followedId) {
      skip(reply);
      saidChars = 0;
    }
    const text = textOfReply(reply);
    if (reply.status !== "streaming") {
      const rest = toSpeakableText(text.slice(saidChars));
      return say([rest, endings[reply.status], reply.notice?.title ?? ""].join(" ").trim());
    }
    const nowMs = Date.now();
    if (nowMs - lastAtMs < everyMs) return;
    const upTo = endOfSentences(text);
    if (upTo <= saidChars) return;
    lastAtMs = nowMs;
    say(toSpeakableText(text.slice(saidChars, upTo)));
    saidChars = upTo;
  }

  return { say, skip, follow };
}

const endings = { done: "The answer is complete.", stopped: "The answer was stopped.", failed: "" };

export function endOfSentences(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?…:](?=\s)|\n\n|[。！？]/g)) end = match.index + match[0].length;
  return end;
}
