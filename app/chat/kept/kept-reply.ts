/** `owner` is empty for a visitor without a token. */
export type Conversation = { owner: string; conversationId: string };

export type ReplySession = { owner: string; openFor: string; proofHash: string };

export type BeginRequest = Conversation & {
  replyId: string;
  /** The key or client that the reply counts for; each has at most `maxOpen` under way. */
  openFor: string;
  /** Null without a token. */
  proofHash: string | null;
  maxOpen: number;
  leaseMs: number;
};

export type BeginOutcome =
  | { outcome: "begun" }
  | { outcome: "under-way"; replyId: string }
  | { outcome: "name-taken" }
  | { outcome: "too-many" }
  /** The conversation's reply has lost its writer. Conclude it, then begin again. */
  | { outcome: "abandoned"; replyId: string };

export type ReplyHeaders = Record<string, string>;
export type AppendRequest = {
  replyId: string;
  leaseMs: number;
  /** The ID of the first event. Without events, only the lease is renewed. */
  firstId: number;
  events: readonly string[];
  /** The whole reply's usage so far. */
  usedTokens: number;
  /** Null if they are stored already. */
  headers: ReplyHeaders | null;
  /** The last events; the ending begins at `endingId`. Releases the lease. */
  ending: { endingId: number; expiresAtMs: number } | null;
};

/** IDs count from 1 without gaps. `json` has no line breaks. */
export type KeptEvent = { id: number; json: string };

export type ReplyState = {
  /** 0 before the first event. */
  lastId: number;
  /** Whether the lease is held. */
  hasWriter: boolean;
  /** Null while under way, or abandoned. */
  ending: ReplyEnding | null;
};

/** `isBroken`: the writer is gone, so a reader may have seen more than is stored. */
export type ReplyEnding = { endingId: number; isBroken: boolean };

/** `headers` is null before the first append. */
export type FoundReply = ReplyState & { replyId: string; headers: ReplyHeaders | null };
