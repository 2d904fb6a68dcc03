import { randomBytes } from "node:crypto";
import { Refusal } from "~/platform/refusals/refusal";
import type { NonceStore } from "./nonces.store.server";

const nonceTtlSeconds = 300;

/** 32 lower-case hex characters. What cannot be stored is not handed out: it could never be used. */
export async function issueNonce(
  clientId: string,
  { siweEnabled, nonces }: { siweEnabled: boolean; nonces: Pick<NonceStore, "issueNonce"> },
): Promise<string> {
  if (!siweEnabled) throw new Refusal("nonce-siwe-not-enabled");
  const value = randomBytes(16).toString("hex");
  try {
    await nonces.issueNonce({ value, clientId, ttlSeconds: nonceTtlSeconds });
  } catch (cause) {
    throw new Refusal("nonce-not-issued", { cause });
  }
  return value;
}
