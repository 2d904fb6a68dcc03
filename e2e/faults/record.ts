import type { Holder } from "~/commands/signed-requests";

/** A use that the server acknowledged. `message` is null for the tool, which takes none. */
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
    /** Responses that granted something without a right to it. */
    wrongGrants: [] as string[],
    /** Responses that denied a key's use. */
    deniedUses: [] as string[],
  };
}
