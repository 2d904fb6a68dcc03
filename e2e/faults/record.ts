import type { Holder } from "~/commands/signed-requests";

/** A use of a key that the server said it had made; `message` null: by the tool, which takes none. */
type AcknowledgedUse = { holder: Holder; message: string | null };

/** One key owner's requests and replies in one quota window. */
export type Talker = {
  holder: Holder;
  bearer: string;
  /** Requests that reached the server, or may have. */
  asked: number;
  /** Answers that were read to their very end. */
  finished: number;
};

/** The clients' knowledge at the end, for comparison with the server's records. */
export type LoadRecord = ReturnType<typeof createRecord>;

export function createRecord() {
  return {
    uses: [] as AcknowledgedUse[],
    /** How often each nonce opened the gate. */
    nonceGrants: new Map<string, number>(),
    talkers: [] as Talker[],
    /** Request ids of quota resets that were answered with a success. */
    resets: [] as string[],
    resetsThatLeftSomething: 0,
    /** Answers that gave something to whom nothing was due. */
    wrongGrants: [] as string[],
    /** Answers that said of a used key that it was not. */
    deniedUses: [] as string[],
  };
}
