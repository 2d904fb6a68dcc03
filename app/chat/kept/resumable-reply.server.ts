import { stateUnavailable } from "~/platform/refusals/refusal";
import type { ReplyReader } from "./reply-reader.server";
import { startReply } from "../reply/start-reply.server";
import type { ChatReply, ChatCall, ChatDependencies } from "../reply/start-reply.server";
import type { ReplyOwner, KeptReplies } from "./kept-replies.server";

export type ResumableCall = Pick<ChatCall, "caller" | "request"> & {
  owner: ReplyOwner;
  replyId?: string | undefined;
  /** The reservation gets the reply's ID, so that any instance can settle it. */
  admitAnswer: (reservationId: string) => ReturnType<ChatCall["admitAnswer"]>;
};

export type ResumableDependencies = {
  chat: ChatDependencies;
  kept: KeptReplies;
  keepTrace: (events: ChatReply["events"]) => ChatReply["events"];
};

/** Takes the conversation before the quota. A failure before the first byte leaves nothing behind. */
export async function startResumableReply(
  { owner, replyId, admitAnswer, caller, request }: ResumableCall,
  { chat, kept, keepTrace }: ResumableDependencies,
): Promise<{ source: ReplyReader; headers: Record<string, string> }> {
  const { log } = chat;
  const reply = kept.prepare(owner, replyId);
  let usedTokens = 0;
  /** Called once the ending is stored. A writer without a lease settles nothing. */
  let settle = () => Promise.resolve();

  async function admit(): ReturnType<ChatCall["admitAnswer"]> {
    await reply.begin();
    const { reservation, headers } = await admitAnswer(reply.replyId);
    reply.setHeaders(headers);
    settle = () => reservation.settle({ usedTokens });
    const note = async (usage: { usedTokens: number }) => void ({ usedTokens } = usage);
    return { reservation: { ...reservation, settle: note }, headers };
  }

  try {
    const call = { request, caller, signal: reply.signal, admitAnswer: admit };
    const { events, headers } = await startReply(call, chat);
    const source = kept.read(reply, 0);
    void reply.write(keepTrace(events), { readUsedTokens: () => usedTokens, settle });
    return { source, headers: { "X-Reply-Id": reply.replyId, ...headers } };
  } catch (error) {
    await settle().catch((err: unknown) => log.warn({ err }, "quota settlement failed"));
    await reply.discard();
    throw reply.feed.isLost ? stateUnavailable(error) : error;
  }
}
