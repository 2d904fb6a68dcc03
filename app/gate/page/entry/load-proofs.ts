import { UnreachableError } from "../gate-api";

/** The code that writes what wallets sign. When it cannot be had, it is the server that is away, not the wallet. */
export async function loadProofs() {
  try {
    return await import("./gate-proofs");
  } catch (cause) {
    throw new UnreachableError("The code for signing could not be loaded.", { cause });
  }
}
