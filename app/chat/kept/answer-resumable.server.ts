import { Refusal, stateUnavailable } from "~/platform/http/refusal";
import type { AnswerReader } from "./answer-reader.server";
import { answerChat } from "../reply/answer-chat.server";
import type { ChatAnswer, ChatCall, ChatDependencies } from "../reply/answer-chat.server";
import type { Alongside } from "./kept-answer-store.server";
import type { AnswerOwner, KeptAnswers } from "./kept-answers.server";

export type ResumableCall = Pick<ChatCall, "caller" | "clientId" | "request"> & {
  owner: AnswerOwner;
  /** Whether a quota is in force. */
  isCounted: boolean;
  /** The reservation has the answer's id, so that whoever concludes the answer can settle it. */
  admitAnswer: (reservationId: string, transaction: Parameters<Alongside>[0]) => Promise<Admission>;
};

type Admission = {
  reservation: {
    maxOutputTokens: number;
    settle: (usage: { usedTokens: number; transaction: Parameters<Alongside>[0] }) => Promise<void>;
  };
  headers: Record<string, string>;
};

export type ResumableDependencies = {
  chat: ChatDependencies;
  kept: KeptAnswers;
  keepTrace: (events: ChatAnswer["events"]) => ChatAnswer["events"];
};

/** Takes the conversation before the quota. What fails before the first byte leaves nothing behind. */
export async function answerResumable(
  { owner, isCounted, admitAnswer, caller, clientId, request }: ResumableCall,
  { chat, kept, keepTrace }: ResumableDependencies,
): Promise<{ source: AnswerReader; headers: Record<string, string> }> {
  const { log } = chat;
  const answer = kept.prepare(owner);
  let usedTokens = 0;
  /** Once the ending is stored: whoever has lost the lease by then settles nothing. */
  let settle: Alongside = () => Promise.resolve();

  async function admit(): ReturnType<ChatCall["admitAnswer"]> {
    let admission: Promise<Admission> | null = null;
    const reserve: Alongside = async (transaction) => {
      admission = admitAnswer(answer.replyId, transaction);
      // A refusal rolls nothing back: others may share the transaction.
      await admission.catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
    };
    await answer.begin(isCounted ? reserve : undefined);
    const { reservation, headers } = await (admission ?? admitAnswer(answer.replyId, null));
    answer.tellHeaders(headers);
    settle = (transaction) => reservation.settle({ usedTokens, transaction });
    const note = async (usage: { usedTokens: number }) => void ({ usedTokens } = usage);
    return { reservation: { ...reservation, settle: note }, headers };
  }

  try {
    const { signal } = answer;
    const call = { request, caller, clientId, signal, admitAnswer: admit };
    const { events, headers } = await answerChat(call, chat);
    const usage = { readUsedTokens: () => usedTokens, settle: isCounted ? settle : null };
    const source = answer.write(keepTrace(events), usage);
    return { source, headers: { "X-Reply-Id": answer.replyId, ...headers } };
  } catch (error) {
    await settle(null).catch((err: unknown) => log.warn({ err }, "quota settlement failed"));
    await answer.discard();
    throw answer.isLost ? stateUnavailable(error) : error;
  }
}
