import type { WarnLog } from "~/platform/log.server";
import { toEventJson } from "~/platform/http/sse.server";
import { countCharacters } from "~/platform/well-formed-text";
import { charsPerToken } from "../chat-limits";
import type { ChatEvent } from "../reply/chat-events";
import type { Appending } from "./answer-appender.server";
import type { AnswerFeed } from "./answer-feed.server";
import type { Alongside, AlongsideEnding } from "./kept-answer-store.server";

type Options = {
  events: AsyncIterable<ChatEvent>;
  feed: AnswerFeed;
  appending: Appending;
  /** What the whole answer used, once it has ended. */
  readUsedTokens: () => number;
  expiresAtMs: () => number;
  /** In the transaction that stores the ending, or once it is stored; in any case before readers get it. Null: nothing is counted. */
  settle: Alongside | null;
  log: WarnLog;
};

/**
 * Writes an answer to its end, whether or not anybody reads. Readers get each event at once, and the ending when it is
 * stored: then the quota is settled and the conversation free. False where the lease was lost on the way.
 */
export async function writeAnswer(options: Options): Promise<boolean> {
  const { events, feed, appending, expiresAtMs, readUsedTokens, settle, log } = options;
  const ending: string[] = [];
  let usedChars = 0;
  try {
    for await (const event of events) {
      const json = toEventJson(event);
      if (event.type === "error" || event.type === "finish") {
        ending.push(json);
        continue;
      }
      usedChars += countOutput(event);
      const maySend = appending.add(json, Math.ceil(usedChars / charsPerToken));
      if (maySend !== true && !(await maySend)) return false;
      feed.say(json);
    }
  } catch (err) {
    log.warn({ err }, "chat stream failed");
    const broken = { type: "error", errorText: "The answer broke off." };
    ending.splice(0, Infinity, ...[broken, { type: "finish" }].map(toEventJson));
  }
  const endingId = feed.lastId + 1;
  let isSettled = settle === null;
  const alongside: AlongsideEnding = async (transaction) => {
    await settle?.(transaction);
    transaction.afterCommit(() => (isSettled = true));
  };
  const isStored = await appending.end({
    events: ending,
    usedTokens: readUsedTokens(),
    expiresAtMs: expiresAtMs(),
    alongside: settle && alongside,
  });
  if (!isStored) return false;
  if (!isSettled) await settle?.(null).catch((err: unknown) => log.warn({ err }, "quota settlement failed"));
  feed.push(ending.map((json, index) => ({ id: endingId + index, json })));
  feed.end({ endingId, isBroken: false });
  return true;
}

/** What counts against the quota, as far as it is said with this event. */
function countOutput(event: ChatEvent): number {
  if (event.type === "text-delta") return countCharacters(event.delta);
  if (event.type === "tool-input-available") return countCharacters(JSON.stringify(event.input));
  return 0;
}
