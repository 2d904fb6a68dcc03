import { expect } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createKeyStore } from "../keys/keys.store.server";
import { createRevokedProofStore } from "./revoked-proofs.store.server";

const key = { chainId: 1, contractAddress: "0xab", tokenId: "1" };
const holder = "0xcd";
const proofHash = `0x${"1".repeat(64)}`;

testOnEachDatabase("a revoked proof is told with the key's state, once and again", async ({ database }) => {
  const keys = createKeyStore(database);
  const { revokeProof } = createRevokedProofStore(database);
  const isRevoked = async (asked: string | null) =>
    (await keys.findKeyState({ key, holder, proofHash: asked })).isProofRevoked;
  expect(await isRevoked(proofHash)).toBe(false);
  await revokeProof({ proofHash, expiresAtMs: 2 });
  await revokeProof({ proofHash, expiresAtMs: 3 });
  expect(await isRevoked(proofHash)).toBe(true);
  expect(await isRevoked(`0x${"2".repeat(64)}`)).toBe(false);
  expect(await isRevoked(null)).toBe(false);
});
