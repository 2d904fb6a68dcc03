import type { TransactionStatements } from "~/platform/database/direct-statements.server";

/**
 * Where resumable answers are kept, in the database or in Redis. Each function is atomic. Whether a lease is held is
 * judged by the store's own clock, in the very statement that depends on it; when an answer expires, by the process's.
 * Every function rejects while the store is away.
 */
export type KeptAnswerStore = {
  /** Takes the conversation for a new answer, which has no events yet, or says why not. An older answer that has
   * ended stays readable by its id until it expires. `alongside` is done once it is taken, or not at all: what throws
   * there leaves it free, where the two are one transaction. */
  begin(request: BeginRequest, alongside?: Alongside): Promise<BeginOutcome>;
  /** Deletes an answer that failed before its first byte: the one before it is found again. Nothing where it has ended. */
  discard(replyId: string): Promise<void>;
  /**
   * Appends to several answers at once, and renews their leases; the outcomes are in the order of the requests. What
   * was done before may be asked for again: events that do not go on from `lastId` are not appended.
   */
  append(requests: readonly AppendRequest[]): Promise<AppendOutcome[]>;
  /** The answer of a conversation: the newest one, until it expires. */
  find(conversation: Conversation): Promise<FoundAnswer | null>;
  /** At least one event where there is one after `afterId`. Null: there is no such answer any more. */
  read(request: ReadRequest): Promise<KeptPart | null>;
  /** Asks the writer of the conversation's answer to stop. The answer's id, where one is under way. */
  askToStop(conversation: Conversation): Promise<string | null>;
  /** The same of all answers that a session has begun. Their ids. */
  askToStopSession(session: AnswerSession): Promise<string[]>;
  /**
   * Ends an answer that has lost its writer: `endingEvents` are numbered on from what is stored. Of several at once
   * exactly one gets what the answer used; null for the others, and where the lease is held or the answer has ended.
   */
  conclude(request: ConcludeRequest): Promise<{ usedTokens: number } | null>;
  /** Answers that have lost their writer and are not concluded yet; some of them where there are many. */
  listAbandoned(): Promise<string[]>;
  /** What answers have used as far as they are stored. Those that are not kept are left out. */
  findUsages(replyIds: readonly string[]): Promise<Map<string, AnswerUsage>>;
};

/** `owner` is empty for a stranger: then the id alone tells conversations apart. */
export type Conversation = { owner: string; conversationId: string };

/** `owner`: two wallets that hold one key may have signed the same text. */
export type AnswerSession = { owner: string; openFor: string; proofHash: string };

export type BeginRequest = Conversation & {
  replyId: string;
  /** Whom it counts for among the answers under way, of which there are at most `maxOpen`. */
  openFor: string;
  /** Of the proof that the caller's token goes back to; null without a token. */
  proofHash: string | null;
  maxOpen: number;
  leaseMs: number;
};

/** `transaction`: of the database, where answers are kept there. It may be rolled back, and all of it done again. */
export type Alongside = (transaction: TransactionStatements | null) => Promise<void>;

/**
 * Done in the transaction that stores an ending, by stores that have one, at the same time as those of other endings. What
 * throws there undoes the whole append. It may be left out.
 */
export type AlongsideEnding = (transaction: TransactionStatements) => Promise<void>;

export type BeginOutcome =
  | { outcome: "begun" }
  /** Goes before `too-many`. */
  | { outcome: "under-way"; replyId: string }
  | { outcome: "too-many" }
  /** The conversation's answer has lost its writer: it is to be concluded before another one begins. */
  | { outcome: "abandoned"; replyId: string };

export type AppendRequest = {
  replyId: string;
  leaseMs: number;
  /** The id of the first of `events`, which are JSON texts without line breaks. There may be none: to renew the lease. */
  firstId: number;
  events: readonly string[];
  /** Of the whole answer up to the last of `events`. */
  usedTokens: number;
  /** That the first reader got, where they are not stored yet. */
  headers?: AnswerHeaders | null;
  /** These are the last events, from `endingId` on the ending; the lease is released. */
  ending?: { endingId: number; expiresAtMs: number; alongside?: AlongsideEnding | null };
};

export type AnswerHeaders = Record<string, string>;

export type AppendOutcome =
  /** `lastId`: of the events that are stored. Where it is not that of the last event asked for, nothing was appended. */
  | { outcome: "held"; lastId: number; isStopAsked: boolean }
  /** The lease has expired, or the answer has ended. Nothing was changed. */
  | { outcome: "lost" }
  /** It failed where others did not, and may have been done. */
  | { outcome: "unknown"; err: unknown };

export type ReadRequest = {
  replyId: string;
  afterId: number;
  /** Of the events' JSON. More only for a single event, or those that were appended with it. */
  maxBytes: number;
};

/** Ids count from 1 without gaps. `json` is an event, without line breaks. */
export type KeptEvent = { id: number; json: string };

export type KeptPart = AnswerState & {
  /** In order, from the one after `afterId` on. */
  events: KeptEvent[];
};

/** As of one moment. */
export type AnswerState = {
  /** 0 before the first event. */
  lastId: number;
  /** Whether the lease is held. False of an answer that has ended. */
  hasWriter: boolean;
  /** Null while it is under way, and until an abandoned one is concluded. */
  ending: AnswerEnding | null;
};

/** `isBroken`: it was concluded by others, so that a reader may have seen more than is stored. */
export type AnswerEnding = { endingId: number; isBroken: boolean };

/** `headers`: null where nothing was appended yet. */
export type FoundAnswer = AnswerState & { replyId: string; headers: AnswerHeaders | null };

export type ConcludeRequest = { replyId: string; endingEvents: readonly string[]; expiresAtMs: number };

/** `isUnderWay`: neither ended nor concluded. */
export type AnswerUsage = { usedTokens: number; isUnderWay: boolean };
