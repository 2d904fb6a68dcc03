import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { held, notHeld, oneKind, untouched } from "~e2e/support/key-kinds";
import { signLegacy } from "~/commands/signed-requests";
import { admit } from "./admit.server";
import { readClaimant } from "../proofs/proofs.server";
import type { ProofDependencies } from "../proofs/proof.server";
import type { AdmitDependencies, TokenGrant } from "./admit.server";
import { isRevokedByDeparture } from "../tokens/access-token.schema";

const account = privateKeyToAccount(generatePrivateKey());
const holder = { account, tokenId: "7" };
const site = { origin: "http://localhost:3000", chainId: 31337 };
const kinds = oneKind({ chainId: 31337, contract: account.address });
const startMs = 1_700_000_000_400;

type Chain = {
  departedAtMs: number | null;
  /** The chain's second reading, and the state of the database by then. */
  again?: { owned: boolean; departedAtMs: number };
};

/** Signs in while the chain takes a second to confirm the key. The test sets what the watcher sees meanwhile. */
async function signIn({ departedAtMs, again }: Chain): Promise<TokenGrant> {
  let nowMs = startMs;
  let readings = 0;
  let granted: TokenGrant | undefined;
  const unused = () => {
    throw new Error("A sign-in must not ask for this.");
  };
  const dependencies: ProofDependencies & AdmitDependencies = {
    domains: ["localhost:3000"],
    allowsPlainHttp: false,
    kinds,
    isStateActive: true,
    legacySignatures: "allow",
    walletFactories: "any",
    nonceBinding: "client",
    nonces: { consumeNonce: unused },
    verifyToken: unused,
    clock: () => nowMs,
    judge: {
      judge: async () => {
        nowMs += 1_000;
        readings += 1;
        return readings === 1 || again?.owned ? held : notHeld("not-owner");
      },
      judgeSigned: unused,
      noteBlock: unused,
      isOutdated: () => false,
    },
    keys: {
      findKeyState: async () => ({
        ...untouched,
        departedAtMs: readings > 1 ? (again?.departedAtMs ?? departedAtMs) : departedAtMs,
      }),
      recordDeparture: unused,
    },
    spentSignatures: { spendSignature: async () => true } as ProofDependencies["spentSignatures"],
    mintToken: async (grant) => {
      granted = grant;
      return "token";
    },
    readContent: async () => ({}) as never,
    countGrant: () => {},
  };
  const body = await signLegacy(site, holder, startMs);
  const request = {
    authorization: undefined,
    body: { tier: "legacy", ...body, keyKind: kinds.list[0]!, vault: null },
    clientId: "c",
    host: "localhost:3000",
  } as const;
  await admit(await readClaimant(request, dependencies), dependencies);
  return granted!;
}

test("a token is dated by when the chain was asked, so a departure noticed later ends it", async () => {
  const { ownedAtMs } = await signIn({ departedAtMs: null });
  expect(ownedAtMs).toBe(startMs);
  const issuedAtSeconds = Math.floor(ownedAtMs / 1000);
  // Seen while the chain was still answering, or after the token was made: either way it is revoked.
  for (const departedAtMs of [startMs, startMs + 999, startMs + 5_000]) {
    expect(isRevokedByDeparture(departedAtMs, issuedAtSeconds)).toBe(true);
  }
});

test("a departure before the chain was asked counts for nothing, one noticed since then makes it ask again", async () => {
  expect((await signIn({ departedAtMs: startMs - 1 })).departedAtMs).toBe(startMs - 1);
  for (const departedAtMs of [startMs, startMs + 500, startMs + 1_000]) {
    // Gone by the second reading; there, and seen leaving once more meanwhile; there.
    await expect(signIn({ departedAtMs })).rejects.toMatchObject({
      refusalName: "you-do-not-own-this-token",
      detail: expect.stringContaining("held by another wallet"),
    });
    const left = { owned: true, departedAtMs: departedAtMs + 1 };
    await expect(signIn({ departedAtMs, again: left })).rejects.toMatchObject({
      refusalName: "you-do-not-own-this-token",
      detail: expect.stringContaining("during the sign-in"),
    });
    const granted = await signIn({ departedAtMs, again: { owned: true, departedAtMs } });
    expect(granted).toMatchObject({ departedAtMs, ownedAtMs: startMs + 1_000 });
  }
});
