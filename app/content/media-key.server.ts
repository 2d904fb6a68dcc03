import { hkdfSync } from "node:crypto";

/**
 * The key that signs media links, derived from the token key's own material: every instance that shares the token
 * key agrees on it, it changes with it, and neither can be worked out from the other's signatures.
 */
export function deriveMediaKey(keyMaterial: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", keyMaterial, "", "latchkey media links 1", 32));
}
