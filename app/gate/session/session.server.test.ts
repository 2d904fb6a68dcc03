import { expect, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import { held, judging, oneKind, untouched } from "~e2e/support/key-kinds";
import { exampleClaims } from "../admission/gate-examples";
import { createSession, findSessionToken } from "./session.server";

type SessionDependencies = Parameters<typeof createSession>[0];

const signedAtSeconds = Date.parse(exampleClaims.siwe.issuedAt) / 1000;
const kinds = oneKind({ chainId: 1, contract: "0x0000000000000000000000000000000000000001" });
const keyKind = kinds.list[0]!;
const cookie = "other=1; access_token=aaa.bbb.ccc";

/** Only the rules of time. The routes' tests prove ownership on a chain. */
function at({
  nowSeconds,
  claims = exampleClaims,
  sessionMaxSeconds = 3600,
}: {
  nowSeconds: number;
  claims?: typeof exampleClaims;
  sessionMaxSeconds?: number;
}): SessionDependencies {
  return {
    kinds,
    domains: ["gate.example"],
    origin: "https://gate.example",
    accessTtlSeconds: 900,
    sessionMaxSeconds,
    clock: () => nowSeconds * 1000,
    judge: judging(async () => held),
    keys: {
      findKeyState: async () => untouched,
      recordDeparture: async () => undefined,
    },
    verifyToken: async () => ({ claims, keyKind }),
    open: () => expect.fail("Nothing is opened."),
    revokeProof: null,
    reissueToken: async ({ claims: old, issuedAtSeconds, expiresAtSeconds }) => ({
      token: "new",
      claims: { ...old, iat: issuedAtSeconds, exp: expiresAtSeconds },
    }),
  };
}

async function renew(dependencies: SessionDependencies) {
  const request = { ask: { renew: true as const }, cookie, host: null };
  const session = createSession(dependencies);
  return session.renew(await session.identify(request));
}

test("a renewed token lives its full lifetime, and near the end of the signature's time only until then", async () => {
  const end = signedAtSeconds + 3600;
  for (const [nowSeconds, secondsLeft] of [
    [end - 2000, 900],
    [end - 900, 900],
    [end - 899, 899],
    [end - 301, 301],
    [end - 300, 300],
  ] as const) {
    const renewed = await renew(at({ nowSeconds }));
    expect(renewed).toMatchObject({ token: "new", session: { secondsLeft } });
    expect(renewed.session.isRenewable).toBe(nowSeconds + 900 < end);
  }
});

test("a renewal for less than 300 seconds is refused in words, and the session shows beforehand that none is left", async () => {
  const end = signedAtSeconds + 3600;
  const claims = { ...exampleClaims, exp: end - 100 };
  for (const nowSeconds of [end - 299.5, end - 299, end - 101]) {
    const dependencies = at({ nowSeconds, claims });
    const isLeft = Math.floor(nowSeconds) <= end - 300;
    const session = await createSession(dependencies).read({ cookie });
    expect([nowSeconds, session]).toMatchObject([nowSeconds, { signedIn: true, isRenewable: isLeft }]);
    const renewal = renew(dependencies);
    if (isLeft) await expect(renewal).resolves.toMatchObject({ session: { secondsLeft: 299 } });
    else {
      await expect(renewal).rejects.toMatchObject({
        status: 401,
        detail: "This session has lasted as long as one signature allows. Sign in again.",
      });
    }
  }
});

test("a message with an expiration time is renewed until then and no further, however long sessions may be", async () => {
  const end = signedAtSeconds + 1000;
  const expirationTime = new Date(end * 1000).toISOString().toLowerCase();
  const claims = { ...exampleClaims, siwe: { ...exampleClaims.siwe, expirationTime } };
  const renewed = await renew(at({ nowSeconds: end - 400, claims }));
  expect(renewed.session).toMatchObject({
    secondsLeft: 400,
    renewableUntil: new Date(end * 1000).toISOString(),
  });
  const late = renew(at({ nowSeconds: end - 299, claims }));
  await expect(late).rejects.toMatchObject({ status: 401 });
  const signedForLonger = { ...claims.siwe, expirationTime: "2099-01-01T00:00:00Z" };
  const dependencies = at({ nowSeconds: end, claims: { ...claims, siwe: signedForLonger } });
  const { session } = await renew(dependencies);
  expect(session.renewableUntil).toBe(new Date((signedAtSeconds + 3600) * 1000).toISOString());
});

test("a session on its way to a site gets no longer life than any token, and ends with its signature's time", async () => {
  const end = signedAtSeconds + 3600;
  const lastsFrom = async (nowSeconds: number, further: Partial<SessionDependencies> = {}) => {
    const dependencies = { ...at({ nowSeconds }), ...further };
    const claims = { ...exampleClaims, iat: nowSeconds - 1, exp: nowSeconds + 1 };
    return (await createSession(dependencies).prolong(claims, nowSeconds))?.session.secondsLeft ?? null;
  };
  expect(await lastsFrom(signedAtSeconds)).toBe(900);
  expect([await lastsFrom(end - 901), await lastsFrom(end - 899)]).toEqual([900, 899]);
  expect([await lastsFrom(end - 300), await lastsFrom(end - 299)]).toEqual([300, null]);
  const day = { accessTtlSeconds: 86_400, sessionMaxSeconds: 10 * 86_400 };
  expect(await lastsFrom(signedAtSeconds, day)).toBe(86_400);
  expect(await lastsFrom(signedAtSeconds, { sessionMaxSeconds: 0 })).toBe(null);
});

test("a session of two cookies that differ is nobody's", () => {
  expect(findSessionToken("access_token=a; x=1; access_token=b")).toBe(null);
  expect(findSessionToken("access_token=; access_token=b")).toBe(null);
  expect(findSessionToken("access_token=a; access_token=a")).toBe("a");
  expect(findSessionToken("access_token=")).toBe(null);
});

test.each([
  [3600, 3600 + 1800],
  [0, 1800],
])(
  "a proof that was signed out with sessions of %s s at most is kept until no token is left of it",
  async (sessionMaxSeconds, lasts) => {
    const revoked: object[] = [];
    const dependencies = at({ nowSeconds: signedAtSeconds, sessionMaxSeconds });
    const revokeProof = async (proof: object) => void revoked.push(proof);
    await createSession({ ...dependencies, revokeProof }).signOut({ cookie });
    const expiresAtMs = (signedAtSeconds + lasts) * 1000;
    const { siwe_hash: proofHash, sub: wallet } = exampleClaims;
    expect(revoked).toEqual([{ proofHash, wallet, expiresAtMs }]);
  },
);

test("a gate without renewals lets sessions end with their token", async () => {
  const dependencies = at({ nowSeconds: signedAtSeconds + 10, sessionMaxSeconds: 0 });
  await expect(renew(dependencies)).rejects.toThrow(Refusal);
  expect(await createSession(dependencies).read({ cookie })).toMatchObject({
    signedIn: true,
    isRenewable: false,
  });
});

test("a token that lasts longer than a renewal would, or is dated ahead, is kept", async () => {
  const nowSeconds = signedAtSeconds + 10;
  for (const claims of [
    { ...exampleClaims, exp: nowSeconds + 901 },
    { ...exampleClaims, iat: nowSeconds + 1, exp: nowSeconds + 800 },
  ]) {
    const kept = await renew(at({ nowSeconds, claims }));
    expect(kept.token).toBe("aaa.bbb.ccc");
  }
});

test("a session asks for a token that opens the gate, to be kept, renewed or read", async () => {
  const scopes: string[] = [];
  const dependencies: SessionDependencies = {
    ...at({ nowSeconds: signedAtSeconds + 60 }),
    verifyToken: async ({ requiredScope }) => {
      scopes.push(requiredScope);
      return { claims: exampleClaims, keyKind };
    },
  };
  const request = { authorization: "Bearer aaa.bbb.ccc", cookie: undefined, host: null };
  await createSession(dependencies).identify(request);
  await renew(dependencies);
  await createSession(dependencies).read({ cookie });
  expect(scopes).toEqual(["gate:read", "gate:read", "gate:read"]);
});
