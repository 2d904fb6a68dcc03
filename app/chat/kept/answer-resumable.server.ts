import { stateUnavailable } from "~/platform/refusals/refusal";
import type { AnswerReader } from "./answer-reader.server";
import { answerChat } from "../reply/answer-chat.server";
import type { ChatAnswer, ChatCall, ChatDependencies } from "../reply/answer-chat.server";
import type { AnswerOwner, KeptAnswers } from "./kept-answers.server";

export type ResumableCall = Pick<ChatCall, "caller" | "request"> & {
  owner: AnswerOwner;
  replyId?: string | undefined;
  /** The reservation gets the reply's ID, so that any instance can settle it. */
  admitAnswer: (reservationId: string) => ReturnType<ChatCall["admitAnswer"]>;
};

export type ResumableDependencies = {
  chat: ChatDependencies;
  kept: KeptAnswers;
  keepTrace: (events: ChatAnswer["events"]) => ChatAnswer["events"];
};

/** Takes the conversation before the quota. A failure before the first byte leaves nothing behind. */
export async function answerResumable(
  { owner, replyId, admitAnswer, caller, request }: ResumableCall,
  { chat, kept, keepTrace }: ResumableDependencies,
): Promise<{ source: AnswerReader; headers: Record<string, string> }> {
  const { log } = chat;
  const answer = kept.prepare(owner, replyId);
  let usedTokens = 0;
  /** Called once the ending is stored. A writer without a lease settles nothing. */
  let settle = () => Promise.resolve();

  async function admit(): ReturnType<ChatCall["admitAnswer"]> {
    await answer.begin();
    const { reservation, headers } = await admitAnswer(answer.replyId);
    answer.setHeaders(headers);
    settle = () => reservation.settle({ usedTokens });
    const note = async (usage: { usedTokens: number }) => void ({ usedTokens } = usage);
    return { reservation: { ...reservation, settle: note }, headers };
  }

  try {
    const call = { request, caller, signal: answer.signal, admitAnswer: admit };
    const { events, headers } = await answerChat(call, chat);
    const source = kept.read(answer, 0);
    void answer.write(keepTrace(events), { readUsedTokens: () => usedTokens, settle });
    return { source, headers: { "X-Reply-Id": answer.replyId, ...headers } };
  } catch (error) {
    await settle().catch((err: unknown) => log.warn({ err }, "quota settlement failed"));
    await answer.discard();
    throw answer.feed.isLost ? stateUnavailable(error) : error;
  }
}
