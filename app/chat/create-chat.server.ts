import type { Caller } from "~/gate/tokens/caller.server";
import { holderOf } from "~/gate/tokens/holder.server";
import type { Log } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import { getProvider } from "~/platform/providers/provider-row";
import { systemClock as clock } from "~/platform/time/clock";
import { keepSpan } from "~/platform/tracing/spans";
import type { QuotaServices } from "~/quota/create-quota.server";
import { ownerOfKey } from "~/quota/quota-subject";
import { isConversationId, toModelList } from "./chat.schema";
import type { ChatRequest } from "./chat.schema";
import type { ChatConfig } from "./chat.settings";
import { startResumableReply } from "./kept/resumable-reply.server";
import type { ResumableCall, ResumableDependencies } from "./kept/resumable-reply.server";
import type { Conversation } from "./kept/kept-reply";
import { createKeptReplies, writerGoneText } from "./kept/kept-replies.server";
import type { KeptRepliesOptions } from "./kept/kept-replies.server";
import { chatProviders } from "./providers/chat-providers.server";
import { instrumentChat } from "./providers/instrument-chat";
import { startReply } from "./reply/start-reply.server";
import type { ChatReply, ChatDependencies } from "./reply/start-reply.server";
import { readSystemPrompt } from "./reply/system-prompt.server";

type ChatQuestion = {
  request: ChatRequest;
  /** Null for a stranger. */
  caller: Caller | null;
  signal: AbortSignal;
};

type ResumableQuestion = Omit<ChatQuestion, "signal"> & {
  clientId: string;
  conversationId: string;
  /** The client's name for the reply. */
  replyId: string | undefined;
};
type KeyClaims = { claims: Pick<Caller["claims"], "chainId" | "contract" | "tokenId"> };
type ConversationRequest = { caller: Caller | null; conversationId: string | undefined };
type StopRequest = ConversationRequest & { replyId: string | undefined };

type Dependencies = {
  settings: ChatConfig;
  contentDir: string;
  /** How long other processes wait for the writer of a kept reply. */
  leaseSeconds: number;
  keptAnswers: KeptRepliesOptions["store"];
  quota: Pick<QuotaServices, "admitAnswer" | "ledgerOf">;
  tools: { registry: ChatDependencies["tools"] };
  instrument: ProviderInstrument;
  metrics: Pick<Metrics, "countChatTokens">;
  /** Counts even if no quota applies. */
  recording: { countTokens: (count: number) => void };
  log: Log;
};

export function createChat(given: Dependencies) {
  const { settings: chat, quota, metrics, log } = given;
  const shutdown = new AbortController();
  const provider = getProvider(chatProviders, chat.provider);
  const dependencies: ChatDependencies = {
    tools: given.tools.registry,
    countOutput(count) {
      metrics.countChatTokens({ direction: "out", count });
      given.recording.countTokens(count);
    },
    provider: instrumentChat(provider.create(chat), given.instrument, (count) =>
      metrics.countChatTokens({ direction: "in", count }),
    ),
    models: chat.models,
    readSystemPrompt: () => readSystemPrompt(chat.systemPrompt, given.contentDir),
    maxSteps: chat.maxSteps,
    maxDurationMs: chat.maxDurationSeconds * 1000,
    shutdownSignal: shutdown.signal,
    log,
  };
  const kept = openKeptReplies(given, shutdown.signal);
  const resumableDependencies: ResumableDependencies = {
    chat: { ...dependencies, shutdownText: writerGoneText },
    kept,
    keepTrace: keepSpan,
  };
  // Runs even if resuming is off: some may be left from before a restart.
  const stopping = new AbortController();
  const watchingAbandoned = kept.concludeRegularly(stopping.signal);

  return {
    /** For the operator. */
    provider: { name: chat.provider, isEmbedded: provider.isEmbedded ?? false, models: chat.models },
    /** Null if the chat is switched off. */
    pingProvider: chat.isOn ? provider.ping(chat) : null,
    /** Ends open streams, each with a last event. */
    endStreams: () => shutdown.abort(),
    /** Resolves once all replies have ended and are stored. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([kept.drain(), watchingAbandoned]);
    },
    listModels: () => toModelList(chat.models),
    answer: async ({ request, caller, signal }: ChatQuestion): Promise<ChatReply> => {
      const admitAnswer = () => quota.admitAnswer({ caller });
      const call = { request, caller: caller && holderOf(caller), signal, admitAnswer };
      const { events, headers } = await startReply(call, dependencies);
      return { events: keepSpan(events), headers };
    },
    /** Null if replies can't be resumed. */
    resumable:
      chat.resumeSeconds === 0
        ? null
        : {
            answer: ({ request, caller, clientId, conversationId, replyId }: ResumableQuestion) => {
              const proofHash = caller?.claims.siwe_hash ?? null;
              const conversation = conversationOf(caller, conversationId);
              const owner = { openFor: openFor(caller, clientId), proofHash, ...conversation };
              const admitAnswer: ResumableCall["admitAnswer"] = (reservationId) =>
                quota.admitAnswer({ caller, reservationId });
              const holder = caller && holderOf(caller);
              const call = { request, caller: holder, owner, replyId, admitAnswer };
              return startResumableReply(call, resumableDependencies);
            },
            find: async ({ caller, conversationId }: ConversationRequest) => {
              if (!isConversationId(conversationId)) return null;
              const conversation = conversationOf(caller, conversationId);
              const found = await kept.find(conversation);
              return found && { ...found, headers: await kept.headersOf(found, conversation) };
            },
            read: kept.read,
            stop: async ({ caller, conversationId: id, replyId }: StopRequest) => {
              if (isConversationId(id)) await kept.stop(conversationOf(caller, id), replyId);
            },
            /** At sign-out. Replies of the key's other sessions continue. */
            stopSession: (claims: Caller["claims"]) =>
              kept
                .stopSession({
                  owner: ownerOf({ claims }),
                  openFor: openForKey({ claims }),
                  proofHash: claims.siwe_hash,
                })
                .catch((err: unknown) => log.warn({ err }, "stopping a session's replies failed")),
          },
  };
}

function openKeptReplies(given: Dependencies, shutdownSignal: AbortSignal) {
  const { settings, leaseSeconds, keptAnswers, quota, log } = given;
  return createKeptReplies({
    store: keptAnswers,
    // Readers learn within LEASE_SECONDS that the writer is gone, and look at the store in between.
    leaseMs: leaseSeconds * 1000 - 500,
    keptForMs: settings.resumeSeconds * 1000,
    maxOpen: settings.resumeOpen,
    settle: quota.ledgerOf("token").settle,
    shutdownSignal,
    clock,
    log,
  });
}

/** Belongs to a key and its wallet, whatever the token. */
function conversationOf(caller: Caller | null, conversationId: string): Conversation {
  return { owner: caller ? ownerOf(caller) : "", conversationId };
}

function ownerOf(caller: Pick<Caller, "claims">): string {
  return `${keyOf(caller)}:${caller.claims.sub}`;
}

function openFor(caller: Caller | null, clientId: string): string {
  return caller ? openForKey(caller) : `client ${clientId}`;
}

function openForKey(caller: KeyClaims): string {
  return `key ${keyOf(caller)}`;
}

function keyOf({ claims: { chainId, contract, tokenId } }: KeyClaims): string {
  return ownerOfKey({ chainId, contractAddress: contract, tokenId }).subject;
}
