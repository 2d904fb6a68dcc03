import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { signToken } from "~/gate/tokens/signed-token.server";
import { loadTokenKeys } from "~/gate/tokens/token-keys.server";
import { Refusal, chainUnavailable } from "~/platform/refusals/refusal";
import { held, judging, makeKind, notHeld, untouched } from "~e2e/support/key-kinds";
import type { KeyKind } from "~/gate/kinds/kind";
import { createTestClock } from "~e2e/support/databases/database";
import { createDoorTokens } from "./door-token.server";
import { judgeQuestion } from "./question.server";
import type { QuestionDependencies } from "./question.server";

const host = "wiki.example.com";
const keys = await loadTokenKeys({
  secret: "a secret of this test: longer than 32 bytes",
  dataDir: "unused",
  mode: "production",
});
const contract = `0x${"aa".repeat(20)}` as const;
const founder = makeKind({ name: "founder", chainId: 31337, contract });
const patron = makeKind({ name: "patron", chainId: 1, contract });
const wallet = `0x${"bb".repeat(20)}`;
const sid = `0x${"cc".repeat(32)}`;
const headers = {
  "x-original-url": `https://${host}/page`,
  "x-original-method": "GET",
  accept: "text/html",
};

/** A visitor with a founder's key and the site's cookie for it, under the site's and key's current settings. */
function open({ opening = [founder], list = [founder, patron] }: Record<string, KeyKind[]> = {}) {
  const { clock, advance } = createTestClock();
  const kinds = { list, areNamed: true };
  const sites = [{ host, kinds: opening }];
  const rules = { keys, clockToleranceSeconds: 5, clock, issuer: "https://gate.example.com" };
  const tokens = createDoorTokens({ ...rules, kinds, sites, ttlSeconds: 900 });
  const outcomes: string[] = [];
  const dependencies: QuestionDependencies = {
    kinds,
    clock,
    tokens,
    sites: new Map(sites.map((site) => [site.host, site])),
    cacheSeconds: 4,
    judge: judging(async () => held),
    keys: { findKeyState: async () => untouched, recordDeparture: async () => undefined },
    countQuestion: ({ site, outcome }) => void outcomes.push(`${site} ${outcome}`),
  };
  const mint = async (site = host) => {
    const iat = Math.floor(clock() / 1000);
    const grant = { sub: wallet, iat, tokenId: "7", chainId: 31337, contract, key: "founder", sid };
    return (await tokens.mint(grant, site)).token;
  };
  /** Names of headers in lower case. */
  async function ask(token: string, changed: Partial<QuestionDependencies> = {}) {
    const request = { headers: { ...headers, cookie: `__Host-latchkey-door=${token}` } };
    const asked = { ...request, isFromTrustedProxy: true, wantsStatus: false };
    const answer = await judgeQuestion(asked, { ...dependencies, ...changed });
    return { status: answer.status, headers: Object.fromEntries(answer.headers) };
  }
  return { ask, mint, advance, outcomes };
}

test("an answer is kept no longer than readings of the chain are, nor than the token lasts", async () => {
  const { ask, mint, advance } = open();
  const token = await mint();
  const keptFor = async () => (await ask(token)).headers["cache-control"];
  expect(await keptFor()).toBe("private, max-age=4");
  advance(897_500);
  expect(await keptFor()).toBe("private, max-age=2");
  // Within the tolerance, and not to be kept at all.
  advance(4_000);
  expect(await keptFor()).toBe("private, max-age=0");
});

test("with the token's time the way in begins again, and the cookie is taken back", async () => {
  const { ask, mint, advance, outcomes } = open();
  const token = await mint();
  advance(905_000);
  const { status, headers: told } = await ask(token);
  expect([status, told["location"]]).toEqual([302, `https://${host}/.latchkey/start?to=/page`]);
  expect(told["set-cookie"]).toContain("Max-Age=0");
  expect(outcomes).toEqual([`${host} closed`]);
});

test("a kind that opens the site no more, or is gone, lets in nobody who has its token", async () => {
  const token = await open().mint();
  expect((await open().ask(token)).status).toBe(200);
  expect((await open({ opening: [patron] }).ask(token)).status).toBe(302);
  expect((await open({ opening: [patron], list: [patron] }).ask(token)).status).toBe(302);
});

test("a token of the door's type and another kind lets in nobody", async () => {
  const { ask, mint } = open();
  const claims = decodeJwt(await mint());
  const signed = (kind: string) => signToken(keys, "door+jwt", { ...claims, kind });
  expect((await ask(await signed("door"))).status).toBe(200);
  expect((await ask(await signed("access"))).status).toBe(302);
});

test.each<[string, Partial<QuestionDependencies>]>([
  ["sold", { judge: judging(async () => notHeld("not-owner")) }],
  ["expired", { judge: judging(async () => notHeld("expired")) }],
  ["used up", state({ used: { usedBy: wallet, usedAtMs: 1 } })],
  ["gone and come back", state({ departedAtMs: Number.MAX_SAFE_INTEGER })],
  ["of somebody who signed out", state({ isProofRevoked: true })],
])("a key that is %s is as none, and the cookie is taken back", async (_, changed) => {
  const { ask, mint, outcomes } = open();
  const { status, headers: told } = await ask(await mint(), changed);
  expect([status, told["cache-control"]]).toEqual([302, "no-store"]);
  expect(told["set-cookie"]).toContain("Max-Age=0");
  expect(outcomes).toEqual([`${host} closed`]);
});

test.each<[string, Partial<QuestionDependencies>]>([
  ["the chain", { judge: judging(() => Promise.reject(chainUnavailable("away"))) }],
  ["the state", { keys: { ...state({}).keys, findKeyState: () => Promise.reject(new Error("away")) } }],
])("while %s is away it is neither yes nor no", async (_, changed) => {
  const { ask, mint, outcomes } = open();
  await expect(ask(await mint(), changed)).rejects.toSatisfy(
    (error) => !(error instanceof Refusal) || error.status === 503,
  );
  expect(outcomes).toEqual([`${host} unknown`]);
});

function state(changed: object): Pick<QuestionDependencies, "keys"> {
  return {
    keys: {
      findKeyState: async () => ({ ...untouched, ...changed }),
      recordDeparture: async () => undefined,
    },
  };
}
