import { setTimeout as delay } from "node:timers/promises";
import type { AnswerHeaders, Conversation, FoundAnswer, KeptAnswerStore } from "./kept-answer-store.server";

/** They are known a moment after an answer began, and stored with its first append, within a second of that. */
const maxLooks = 20;
const lookEveryMs = 100;

type Wanted = {
  store: Pick<KeptAnswerStore, "find">;
  found: FoundAnswer;
  conversation: Conversation;
  /** Of answers that this process writes. */
  findHere: (replyId: string) => AnswerHeaders | null | undefined;
};

/** That the first reader of an answer got. */
export async function findHeaders({ store, found, conversation, findHere }: Wanted): Promise<AnswerHeaders> {
  const { replyId } = found;
  let latest: FoundAnswer | null = found;
  for (let looks = 0; latest?.replyId === replyId; looks += 1) {
    const headers = findHere(replyId) ?? latest.headers;
    const mayCome = latest.hasWriter && latest.lastId === 0 && looks < maxLooks;
    if (headers !== null || !mayCome) return headers ?? {};
    await delay(lookEveryMs);
    latest = await store.find(conversation);
  }
  return {};
}
