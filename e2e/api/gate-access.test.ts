import { decodeJwt, decodeProtectedHeader } from "jose";
import { keccak256, stringToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";
import { sendRaw } from "./raw-http";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({
    env: {
      RATE_LIMIT_NONCE: "0",
      RATE_LIMIT_GATE_ACCESS: "0",
      RATE_LIMIT_FORM_SUBMISSION: "0",
      RATE_LIMIT_TOKEN_STATUS: "0",
    },
  });
});
afterAll(() => gate.close());

function slugOf(answer: Answer): string {
  return String(answer.body.type).split("/problems/")[1] ?? "";
}

async function bearer(accessToken: unknown, json?: unknown): Promise<Answer> {
  return gate.ask({
    path: "/api/gate-access",
    method: "POST",
    json,
    headers: { Authorization: `Bearer ${String(accessToken)}` },
  });
}

test("SIWE admits a holder, with content and a token with the documented claims", async () => {
  const { account, tokenId } = await gate.mintKey();
  const body = await gate.siweBody({ account, tokenId });
  const answer = await gate.post("/api/gate-access", body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.headers.get("cache-control")).toContain("no-store");
  expect(answer.body).toMatchObject({ success: true, access: "granted" });
  const content = answer.body.content as Record<string, unknown>;
  expect(Object.keys(content).sort()).toEqual([
    "audioData",
    "script",
    "styles",
    "textSubmissionAreaHtml",
    "welcomeText",
  ]);
  expect(String(content.welcomeText).length).toBeGreaterThan(100);
  expect(content.audioData).toMatchObject({ error: false });

  const token = answer.body.accessToken as string;
  expect(decodeProtectedHeader(token)).toMatchObject({
    alg: "HS256",
    typ: "at+jwt",
    kid: expect.any(String),
  });
  const claims = decodeJwt(token);
  expect(claims).toMatchObject({
    iss: gate.origin,
    aud: [gate.domain],
    sub: account.address.toLowerCase(),
    kind: "access",
    auth: "siwe",
    scopes: ["gate:read", "chat", "tts", "tools"],
    tokenId,
    chainId: 31337,
    siwe: { address: account.address, domain: gate.domain, chainId: 31337, nonce: body.nonce },
    siwe_hash: keccak256(stringToHex(body.message)),
  });
  expect(claims.exp! - claims.iat!).toBe(900);
});

test("a Bearer call returns the content again without a new token, with or without a body", async () => {
  const holder = await gate.mintKey();
  const { accessToken } = (await gate.signIn(holder)).body;
  for (const json of [undefined, {}, { tokenId: holder.tokenId }, { tokenId: Number(holder.tokenId) }]) {
    const answer = await bearer(accessToken, json);
    expect(answer.status).toBe(200);
    expect(answer.body.accessToken).toBeUndefined();
    expect(answer.body.content).toBeDefined();
  }
  const other = await bearer(accessToken, { tokenId: "999" });
  expect([other.status, slugOf(other)]).toEqual([401, "authentication-failed"]);
});

test("an invalid Bearer header is refused, even with a valid body", async () => {
  const holder = await gate.mintKey();
  const { accessToken } = (await gate.signIn(holder)).body;
  const token = String(accessToken);
  for (const header of [
    `bearer ${token}`,
    `BEARER ${token}`,
    `Bearer  ${token}`,
    `Bearer ${token} x`,
    "Bearer",
    "Bearer mock-token",
    `Basic ${token}`,
    token,
    `Bearer ${token.slice(0, -3)}abc`,
  ]) {
    const json = await gate.siweBody(holder);
    const answer = await gate.ask({
      path: "/api/gate-access",
      method: "POST",
      json,
      headers: { Authorization: header },
    });
    expect(answer.status, header).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="latchkey", error="invalid_token"');
  }
});

test("a request to a host that is not allowed is 401 in words, with any proof", async () => {
  const holder = await gate.mintKey();
  const { accessToken } = (await gate.signIn(holder)).body;
  const proofs: [string, Record<string, unknown>, string][] = [
    [`Authorization: Bearer ${String(accessToken)}\r\n`, {}, ', error="invalid_token"'],
    ["", await gate.siweBody(holder), ""],
    ["", await gate.legacyBody(holder), ""],
  ];
  for (const [header, json, challenge] of proofs) {
    const body = JSON.stringify(json);
    const send = (host: string) =>
      sendRaw({
        port: gate.server.port,
        bytes: `POST /api/gate-access HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${header}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      });
    const refused = await send("elsewhere.example");
    expect([refused.status, refused.body]).toEqual([
      401,
      expect.stringContaining("/problems/authentication-failed"),
    ]);
    expect(refused.body).toContain("came to a host that this site does not accept proofs for");
    expect(refused.head.toLowerCase()).toContain(`www-authenticate: bearer realm="latchkey"${challenge}\r\n`);
    expect((await send(gate.domain)).status).toBe(200);
  }
});

test("a message that expires soon admits until then, and its token lives as long as any other", async () => {
  const holder = await gate.mintKey();
  const fields = { expirationTime: new Date(Date.now() + 20_000).toISOString() };
  const answer = await gate.post("/api/gate-access", await gate.siweBody({ ...holder, fields }));
  const { iat, exp, siwe } = decodeJwt<{ siwe: object }>(String(answer.body.accessToken));
  expect([exp! - iat!, siwe]).toEqual([900, expect.objectContaining(fields)]);
});

test("the legacy envelope admits a holder once, in milliseconds and in seconds", async () => {
  const holder = await gate.mintKey();
  for (const timestamp of [Date.now(), Math.floor(Date.now() / 1000)]) {
    const body = await gate.legacyBody({ ...holder, timestamp });
    const answer = await gate.post("/api/gate-access", body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(decodeJwt(answer.body.accessToken as string)).toMatchObject({
      auth: "legacy",
      siwe: { nonce: "legacy" },
    });
    const again = await gate.post("/api/gate-access", body);
    expect([again.status, again.body.detail]).toEqual([401, expect.stringContaining("already")]);
  }
  const old = await gate.post(
    "/api/gate-access",
    await gate.legacyBody({ ...holder, timestamp: Date.now() - 301_000 }),
  );
  expect(old.status).toBe(401);
});

test("exactly one of a hundred concurrent sign-ins with one nonce succeeds", async () => {
  const holder = await gate.mintKey();
  const body = await gate.siweBody(holder);
  const answers = await Promise.all(Array.from({ length: 100 }, () => gate.post("/api/gate-access", body)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(99);
});

test("exactly one of a hundred concurrent uses of one legacy signature succeeds", async () => {
  const holder = await gate.mintKey();
  const body = await gate.legacyBody(holder);
  const answers = await Promise.all(Array.from({ length: 100 }, () => gate.post("/api/gate-access", body)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(99);
});

test("a nonce stays used when the signature fails, and one that was never issued is refused", async () => {
  const holder = await gate.mintKey();
  const stranger = privateKeyToAccount(generatePrivateKey());
  const body = await gate.siweBody(holder);
  const forged = await gate.post("/api/gate-access", {
    ...body,
    signature: await stranger.signMessage({ message: body.message }),
  });
  expect([forged.status, forged.body.detail]).toEqual([401, expect.stringContaining("signature")]);
  const late = await gate.post("/api/gate-access", body);
  expect([late.status, late.body.detail]).toEqual([401, expect.stringContaining("used already")]);
  const invented = await gate.post(
    "/api/gate-access",
    await gate.siweBody({ ...holder, nonce: "0123456789abcdef0123456789abcdef" }),
  );
  expect([invented.status, invented.body.detail]).toEqual([401, expect.stringContaining("not issued")]);
});

test.each([
  ["another domain", { domain: "evil.example" }, /domain/i],
  ["another chain", { chainId: 1 }, /chain/i],
  ["another origin in its uri", { uri: "https://evil.example" }, /uri|address/i],
  ["a time long ago", { issuedAt: new Date(Date.now() - 11 * 60_000).toISOString() }, /old|ago|issued/i],
  ["an expired one", { expirationTime: new Date(Date.now() - 1000).toISOString() }, /expired/i],
  [
    "one not yet valid",
    { notBefore: new Date(Date.now() + 60_000).toISOString() },
    /not (yet )?(be )?valid|before/i,
  ],
])("a message for %s is refused in plain words", async (_kind, fields, words) => {
  const holder = await gate.mintKey();
  const answer = await gate.post("/api/gate-access", await gate.siweBody({ ...holder, fields }));
  expect([answer.status, slugOf(answer)]).toEqual([401, "authentication-failed"]);
  expect(answer.body.detail).toMatch(words);
});

test("another wallet's key and a missing key are 403", async () => {
  const { tokenId } = await gate.mintKey();
  const stranger = await gate.mintKey();
  const notMine = await gate.signIn({ account: stranger.account, tokenId });
  expect([notMine.status, slugOf(notMine)]).toEqual([403, "you-do-not-own-this-token"]);
  const nobodys = await gate.signIn({ account: stranger.account, tokenId: "424242" });
  expect([nobodys.status, slugOf(nobodys)]).toEqual([403, "you-do-not-own-this-token"]);
});

test.each([
  [{ address: "0x1" }, "invalid-request"],
  [{ foo: 1 }, "invalid-request"],
  [{ tokenId: "abc" }, "invalid-tokenid"],
  [{ tokenId: -1 }, "invalid-tokenid"],
  [{ tokenId: "1", message: "x" }, "invalid-request"],
])("the body %j is 400 %s", async (json, slug) => {
  const answer = await gate.post("/api/gate-access", json);
  expect([answer.status, slugOf(answer)]).toEqual([400, slug]);
});

test("a body without one field is refused with that field's name", async () => {
  const holder = await gate.mintKey();
  const body: Record<string, unknown> = await gate.siweBody(holder);
  for (const field of ["address", "signature", "tokenId"]) {
    const answer = await gate.post("/api/gate-access", { ...body, [field]: undefined });
    expect(answer.status).toBe(400);
    expect((answer.body.errors as { path: string }[]).map(({ path }) => path)).toEqual([field]);
  }
});

test("a key that leaves the wallet ends its tokens within a poll, and the new holder is admitted", async () => {
  const { account, tokenId } = await gate.mintKey();
  const { accessToken } = (await gate.signIn({ account, tokenId })).body;
  expect((await bearer(accessToken)).status).toBe(200);
  const receiver = await gate.rich();
  await gate.transferKey({ from: account, to: receiver.address, tokenId });
  await expect
    .poll(async () => (await bearer(accessToken)).status, { timeout: 5000, interval: 100 })
    .toBe(403);
  expect(slugOf(await bearer(accessToken))).toBe("you-do-not-own-this-token");
  expect((await gate.signIn({ account: receiver, tokenId })).status).toBe(200);

  // The key returns. The old token stays revoked, but a new sign-in works.
  await gate.transferKey({ from: receiver, to: account.address, tokenId });
  const again = await gate.signIn({ account, tokenId });
  expect(again.status).toBe(200);
  expect((await bearer(again.body.accessToken)).status).toBe(200);
  expect((await bearer(accessToken)).status).toBe(403);
});

test("the watcher alone ends the tokens of a key that left and came back before the next request", async () => {
  const { account, tokenId } = await gate.mintKey();
  const { accessToken } = (await gate.signIn({ account, tokenId })).body;
  const headers = { Authorization: `Bearer ${String(accessToken)}` };
  expect((await gate.ask({ path: "/api/quota", headers })).status).toBe(200);
  const friend = await gate.rich();
  await gate.transferKey({ from: account, to: friend.address, tokenId });
  await gate.transferKey({ from: friend, to: account.address, tokenId });
  await expect
    .poll(async () => (await gate.ask({ path: "/api/quota", headers })).status, { timeout: 5000 })
    .toBe(401);
});

test("the form uses a key once, later requests are told so, and the key's tokens end", async () => {
  const holder = await gate.mintKey();
  const { accessToken } = (await gate.signIn(holder)).body;
  const before = await gate.ask({ path: `/api/token-status/${holder.tokenId}` });
  expect(before.body).toEqual({
    tokenId: holder.tokenId,
    exists: true,
    count: 1,
    used: false,
    usedBy: null,
    usedAt: null,
  });

  const body = await gate.formBody({ ...holder, message: "Good evening from the lamp room." });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => gate.post("/api/form-submission-gate", body)),
  );
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted.map(({ body: answer }) => answer)).toEqual([{ success: true, message: "Access granted" }]);
  expect(
    answers.filter(
      (answer) => answer.status === 403 && slugOf(answer) === "this-token-has-already-been-used",
    ),
  ).toHaveLength(19);

  const after = await gate.ask({ path: `/api/token-status/${holder.tokenId}` });
  expect(after.body).toMatchObject({ used: true, usedBy: holder.account.address.toLowerCase() });
  expect(new Date(String(after.body.usedAt)).getTime()).toBeGreaterThan(Date.now() - 60_000);
  const bearerAnswer = await bearer(accessToken);
  expect([bearerAnswer.status, slugOf(bearerAnswer)]).toEqual([403, "this-token-has-already-been-used"]);
  const signInAnswer = await gate.signIn(holder);
  expect([signInAnswer.status, slugOf(signInAnswer)]).toEqual([403, "this-token-has-already-been-used"]);
});

test("the form's message must be the signed one", async () => {
  const holder = await gate.mintKey();
  const body = await gate.formBody({ ...holder, message: "what was signed" });
  const changed = await gate.post("/api/form-submission-gate", { ...body, message: "something else" });
  expect([changed.status, slugOf(changed)]).toEqual([400, "invalid-request"]);
  const rehashed = await gate.post("/api/form-submission-gate", {
    ...body,
    message: "else",
    messageHash: keccak256(stringToHex("else")),
  });
  expect(rehashed.status).toBe(401);
  const dropped = await gate.post("/api/form-submission-gate", { ...body, messageHash: undefined });
  expect(dropped.status).toBe(401);
  const legacyEnvelope = await gate.legacyBody(holder);
  const otherPath = await gate.post("/api/form-submission-gate", { ...legacyEnvelope, message: "x" });
  expect(otherPath.status).toBe(401);
  expect((await gate.ask({ path: `/api/token-status/${holder.tokenId}` })).body.used).toBe(false);
  expect(
    (
      await gate.post(
        "/api/form-submission-gate",
        await gate.formBody({ ...holder, message: "unsigned", signHash: false }),
      )
    ).status,
  ).toBe(200);
});

test("media is served for signed links only, whole and in ranges", async () => {
  const holder = await gate.mintKey();
  const { content } = (await gate.signIn(holder)).body as { content: { audioData: { audioSrc: string } } };
  const link = content.audioData.audioSrc;
  const whole = await fetch(`${gate.origin}${link}`);
  expect(whole.status).toBe(200);
  expect(whole.headers.get("content-type")).toMatch(/^audio\//);
  const bytes = new Uint8Array(await whole.arrayBuffer());
  const part = await fetch(`${gate.origin}${link}`, { headers: { Range: "bytes=10-19" } });
  expect(part.status).toBe(206);
  expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(10, 20));
  const tampered = link.replace(`/media/${holder.tokenId}/`, "/media/424242/");
  for (const bad of [
    tampered,
    link.replace(/sig=.{4}/, "sig=AAAA"),
    link.replace(/exp=\d/, "exp=9"),
    link.split("?")[0]!,
  ]) {
    const answer = await gate.ask({ path: bad });
    expect([answer.status, slugOf(answer)], bad).toEqual([403, "media-link-invalid"]);
  }
});

test("no log line holds a token, a signature, a nonce or a message", async () => {
  const holder = await gate.mintKey();
  const body = await gate.siweBody(holder);
  const { accessToken } = (await gate.post("/api/gate-access", body)).body;
  await gate.ask({
    path: `/api/gate-access?jwt=${String(accessToken)}`,
    method: "POST",
    headers: { Authorization: `Bearer ${String(accessToken)}` },
  });
  const form = await gate.formBody({ ...holder, message: "a message nobody should read in a log" });
  const last = await gate.post("/api/form-submission-gate", form);
  // The log comes through a pipe and may lag behind the response.
  await expect.poll(gate.server.output).toContain(last.headers.get("x-request-id"));
  const log = gate.server.output();
  expect(log).toContain('"route":"/api/gate-access"');
  for (const secret of [
    String(accessToken),
    String(accessToken).split(".")[2]!,
    body.signature,
    body.nonce,
    form.signature,
    "nobody should read",
  ]) {
    expect(log).not.toContain(secret);
  }
});

test("public keys are served, and a shared secret is not among them", async () => {
  expect((await gate.ask({ path: "/.well-known/jwks.json" })).body).toEqual({ keys: [] });
});

test("a second server on the same database and secret accepts what the first one issued", async () => {
  const { startServer } = await import("~e2e/support/running-server");
  const second = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      // Both instances have one name.
      NEXT_PUBLIC_DOMAIN: gate.domain,
      PUBLIC_ORIGIN: gate.origin,
      RATE_LIMIT_NONCE: "0",
      RATE_LIMIT_GATE_ACCESS: "0",
    },
    dataDir: gate.server.dataDir,
  });
  try {
    const holder = await gate.mintKey();
    const { accessToken } = (await gate.signIn(holder)).body;
    const answer = await sendRaw({
      port: second.port,
      bytes: `POST /api/gate-access HTTP/1.1\r\nHost: ${gate.domain}\r\nConnection: close\r\nAuthorization: Bearer ${String(accessToken)}\r\n\r\n`,
    });
    expect(answer.status, answer.body).toBe(200);
  } finally {
    await second.stop();
  }
});
