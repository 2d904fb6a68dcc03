import { expect, test } from "vitest";
import { holderOf } from "./holder.server";
import { requireRoom } from "./require-met";
import { makeKind } from "~e2e/support/key-kinds";
import type { KeyKind } from "../kinds/kind";
import { mintAccessToken, requireScope, verifyAccessToken } from "./access-token.server";
import { loadTokenKeys } from "./token-keys.server";

const nowMs = Date.UTC(2026, 0, 15, 12);
const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const site = { issuer: "http://localhost:3000", audience: ["localhost:3000"] };
const keys = await loadTokenKeys({
  secret: "a secret of this test: longer than 32 bytes",
  dataDir: "unused",
  mode: "production",
});

const founder = makeKind({ name: "founder", chainId: 31337, contract: `0x${"aa".repeat(20)}` });
const patron = makeKind({
  name: "patron",
  chainId: 1,
  delegation: "full",
  opens: ["chat", "door:wiki.example"],
});

async function mint(
  keyKind: KeyKind,
  { vault, areNamed = true }: { vault?: string; areNamed?: boolean } = {},
) {
  const { chainId } = keyKind;
  const siwe = {
    address,
    domain: "localhost:3000",
    chainId,
    nonce: "legacy",
    issuedAt: "2026-01-15T12:00:00Z",
  };
  const proof = { address, auth: "legacy", tokenId: "7", siwe, signedText: "signed" } as const;
  const dates = { issuedAtMs: nowMs, ttlSeconds: 900 };
  return (
    await mintAccessToken({ keys, keyKind, areNamed, ...proof, ...dates, ...site, ...(vault && { vault }) })
  ).token;
}

function verify(token: string, list: readonly KeyKind[], areNamed = true) {
  const expected = { ...site, kinds: { list, areNamed } };
  return verifyAccessToken({ keys, token, expected, clockToleranceSeconds: 5, clock: () => nowMs });
}

const refused = expect.objectContaining({ slug: "authentication-failed", status: 401 });

test("a token names its kind and vault, a membership in place of a contract, and what the kind opens", async () => {
  const verified = await verify(await mint(patron, { vault: `0x${"BB".repeat(20)}` }), [founder, patron]);
  expect(verified.keyKind).toBe(patron);
  expect(verified.claims).toMatchObject({
    key: "patron",
    vault: `0x${"bb".repeat(20)}`,
    chainId: 1,
    contract: "membership:patron",
    scopes: ["chat", "door:wiki.example"],
  });
});

test("a token reaches what its kind opens today, and is refused where the kind is gone, renamed or of another contract", async () => {
  const token = await mint(founder);
  const narrower = await verify(token, [{ ...founder, opens: ["room", "tts"] }]);
  expect(narrower.claims.scopes).toEqual(["gate:read", "tts"]);
  expect(() => requireScope(narrower, "chat")).toThrow("chat");
  const wider = await verify(await mint(patron), [{ ...patron, opens: ["room", "chat", "tools"] }]);
  expect(() => requireScope(wider, "tools")).toThrow("tools");
  // It goes on as a session; the room counts from the next sign-in.
  requireScope(wider, "gate:read");
  expect(holderOf(wider).opensRoom).toBe(false);
  expect(() => requireRoom(holderOf(wider))).toThrow("Sign in again");
  for (const changed of [
    [patron],
    [{ ...founder, name: "first" }],
    [{ ...founder, chainId: 1 }],
    [makeKind({ name: "founder", chainId: 31337, contract: `0x${"cc".repeat(20)}` })],
    [makeKind({ name: "founder", chainId: 31337 })],
  ]) {
    await expect(verify(token, changed)).rejects.toEqual(refused);
  }
});

test("a token without a kind's name is refused where kinds have names, and one with a name where they have none", async () => {
  const unnamed = await mint(founder, { areNamed: false });
  await expect(verify(unnamed, [founder])).rejects.toEqual(refused);
  expect((await verify(unnamed, [founder], false)).claims).not.toHaveProperty("key");
  await expect(verify(await mint(founder), [founder], false)).rejects.toEqual(refused);
});

test("a delegate's token ends when the kind takes no delegates any more", async () => {
  const token = await mint(patron, { vault: `0x${"bb".repeat(20)}` });
  await expect(verify(token, [{ ...patron, delegation: "none" }])).rejects.toEqual(refused);
});
