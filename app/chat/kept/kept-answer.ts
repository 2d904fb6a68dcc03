/** `owner` is empty for a visitor without a token: then the ID alone tells conversations apart. */
export type Conversation = { owner: string; conversationId: string };

/** `owner`: two wallets that hold one key may have signed the same text. */
export type AnswerSession = { owner: string; openFor: string; proofHash: string };

export type BeginRequest = Conversation & {
  replyId: string;
  /** The key or client that the answer counts for while it is under way; each has at most `maxOpen`. */
  openFor: string;
  /** The proof that the caller's token goes back to; null without a token. */
  proofHash: string | null;
  maxOpen: number;
  leaseMs: number;
};

export type BeginOutcome =
  | { outcome: "begun" }
  /** Decided before `name-taken`, and that before `too-many`. */
  | { outcome: "under-way"; replyId: string }
  | { outcome: "name-taken" }
  | { outcome: "too-many" }
  /** The conversation's answer has lost its writer. Conclude it, then begin again. */
  | { outcome: "abandoned"; replyId: string };

export type AnswerHeaders = Record<string, string>;
export type AppendRequest = {
  replyId: string;
  leaseMs: number;
  /** The ID of the first of `events`, which are JSON texts without line breaks. None: only renews the lease. */
  firstId: number;
  events: readonly string[];
  /** Of the whole answer up to the last of `events`. */
  usedTokens: number;
  /** The first reader's, unless they are stored already. */
  headers: AnswerHeaders | null;
  /** These are the last events, from `endingId` on the ending. Releases the lease. */
  ending: { endingId: number; expiresAtMs: number } | null;
};

/** IDs count from 1 without gaps. `json` has no line breaks. */
export type KeptEvent = { id: number; json: string };

export type AnswerState = {
  /** Of the stored events; 0 before the first. */
  lastId: number;
  /** Whether the lease is held. False once the answer has ended. */
  hasWriter: boolean;
  /** Null while it is under way, and until an abandoned answer is concluded. */
  ending: AnswerEnding | null;
};

/** `isBroken`: others concluded it, so a reader may have seen more than is stored. */
export type AnswerEnding = { endingId: number; isBroken: boolean };

/** `headers`: null before the first append. */
export type FoundAnswer = AnswerState & { replyId: string; headers: AnswerHeaders | null };
