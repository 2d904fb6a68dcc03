import { expect } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createKeyStore, createRevokedProofStore } from "../ownership/keys.store.server";

const key = { chainId: 1, contractAddress: "0xab", tokenId: "1" };
const holder = "0xcd";
const proofHash = `0x${"1".repeat(64)}`;

testOnEachDatabase("a revoked proof is told with the key's state, once and again", async ({ database }) => {
  const keys = createKeyStore(database);
  const { revokeProof } = createRevokedProofStore(database);
  const isRevoked = async (asked: string | null, wallet = holder) =>
    (await keys.findKeyState({ key, holder, wallet, proofHash: asked })).isProofRevoked;
  expect(await isRevoked(proofHash)).toBe(false);
  await revokeProof({ proofHash, wallet: holder, expiresAtMs: 2 });
  await revokeProof({ proofHash, wallet: holder, expiresAtMs: 3 });
  expect(await isRevoked(proofHash)).toBe(true);
  expect(await isRevoked(`0x${"2".repeat(64)}`)).toBe(false);
  expect(await isRevoked(null)).toBe(false);
  expect(await isRevoked(proofHash, "0xCD")).toBe(true);
});

testOnEachDatabase(
  "a wallet that signed the same text as one that signed out, or is its delegate, stays signed in",
  async ({ database }) => {
    const keys = createKeyStore(database);
    const { revokeProof } = createRevokedProofStore(database);
    await revokeProof({ proofHash, wallet: holder, expiresAtMs: 2 });
    const ofAnother = { key, holder: "0xef", wallet: "0xef", proofHash };
    const ofDelegate = { key, holder, wallet: "0xef", proofHash };
    for (const state of [ofAnother, ofDelegate])
      expect((await keys.findKeyState(state)).isProofRevoked).toBe(false);
    await revokeProof({ proofHash, wallet: "0xef", expiresAtMs: 2 });
    expect((await keys.findKeyState(ofDelegate)).isProofRevoked).toBe(true);
  },
);

testOnEachDatabase(
  "a row from before wallets were kept ends the proof for all of them",
  async ({ database }) => {
    const keys = createKeyStore(database);
    await createRevokedProofStore(database).revokeProof({ proofHash, wallet: "", expiresAtMs: 2 });
    expect((await keys.findKeyState({ key, holder, proofHash })).isProofRevoked).toBe(true);
  },
);
