import { afterAll, beforeAll, expect, test } from "vitest";
import { claimsOf, openKeysGate, takeAway } from "./keys-fixture";
import type { KeysGate } from "./keys-fixture";

let gate: KeysGate;
beforeAll(async () => {
  gate = await openKeysGate();
}, 120_000);
afterAll(() => gate.close());

const gatePath = "/api/gate-access";
const formPath = "/api/form-submission-gate";
const bearer = (token: unknown) => ({ Authorization: `Bearer ${String(token)}` });

async function signIn(...named: Parameters<KeysGate["siwe"]>) {
  return gate.post(gatePath, await gate.siwe(...named));
}

test("the first kind is meant where none is named, and its token names it", async () => {
  const account = gate.account(1);
  const tokenId = await gate.mintKey(1);
  const { key: _unsent, ...body } = await gate.siwe("founder", account, { tokenId });
  const { status, body: answer } = await gate.post(gatePath, body);
  expect(status).toBe(200);
  expect(claimsOf(answer.accessToken)).toMatchObject({
    key: "founder",
    tokenId,
    chainId: 31337,
    contract: gate.first.chain.key.address.toLowerCase(),
    scopes: ["gate:read", "chat", "tts", "tools"],
  });
  const again = (json: object) => gate.post(gatePath, json, bearer(answer.accessToken));
  expect((await again({ key: "founder", tokenId })).status).toBe(200);
  expect((await again({ key: "patron" })).status).toBe(401);
  expect((await gate.post(gatePath, { ...body, key: "nobody" })).body).toMatchObject({
    status: 400,
    type: expect.stringContaining("invalid-request") as string,
    errors: [{ path: "key" }],
  });
});

test("a membership is judged on its own chain, and says what is missing to who was proven", async () => {
  const account = gate.account(2);
  const refused = await signIn("patron", account);
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({
    type: expect.stringContaining("you-do-not-own-this-token") as string,
    requirements: {
      outcome: "unmet",
      all: [
        { label: "5 coins", outcome: "unmet", needed: "5000000", held: "0", chainId: 31338 },
        { outcome: "met" },
      ],
    },
  });
  expect(JSON.stringify(refused.body)).not.toContain(gate.banned.slice(2).toLowerCase());

  await gate.fund(2, 5_000_000n);
  const { tokenId, ...body } = await gate.siwe("patron", account);
  const { status, body: answer } = await gate.post(gatePath, body);
  expect(status).toBe(200);
  expect(claimsOf(answer.accessToken)).toMatchObject({
    key: "patron",
    tokenId,
    chainId: 31338,
    contract: "membership:patron",
  });
  expect(
    (await gate.ask({ path: "/session", headers: { Cookie: `access_token=${String(answer.accessToken)}` } }))
      .body,
  ).toMatchObject({ signedIn: true, key: "patron", tokenId });
  const other = await gate.siwe("patron", account, { tokenId: "7" });
  expect((await gate.post(gatePath, other)).status).toBe(400);
  expect((await gate.ask({ path: `/api/token-status/${tokenId}?key=patron` })).body).toMatchObject({
    exists: true,
    count: 1,
    used: false,
  });
});

test("what was not proven is told nothing", async () => {
  const { tokenId: _unsent, ...body } = await gate.siwe("patron", gate.account(3));
  const forged = { ...body, address: gate.account(4).address };
  const { status, body: answer } = await gate.post(gatePath, forged);
  expect(status).toBe(401);
  expect(answer).not.toHaveProperty("requirements");
});

test("a message for another kind's chain, and an envelope without the kind's line, prove nothing", async () => {
  const account = gate.account(5);
  const tokenId = await gate.mintKey(5);
  await gate.fund(5, 5_000_000n);
  const siwe = await gate.siwe("founder", account, { tokenId });
  expect((await gate.post(gatePath, { ...siwe, key: "patron", tokenId: undefined })).status).toBe(401);
  const ofFirst = await gate.legacy("founder", account, { tokenId });
  expect((await gate.post(gatePath, { ...ofFirst, key: "silent" })).status).toBe(401);
  expect((await gate.post(gatePath, ofFirst)).status).toBe(200);
  const ofOther = await gate.legacy("silent", account, { tokenId });
  expect((await gate.post(gatePath, { ...ofOther, key: "founder" })).status).toBe(401);
  expect((await gate.post(gatePath, ofOther)).status).toBe(200);
});

test("what is unmet for certain is 403 while another chain is away, and what is unknown 503", async () => {
  const account = gate.account(6);
  const tokenId = await gate.mintKey(6);
  await gate.fund(6, 5_000_000n);
  takeAway(gate.second);
  expect((await signIn("founder", account, { tokenId })).status).toBe(200);
  expect((await signIn("patron", account)).status).toBe(503);
  expect((await signIn("either", account)).status).toBe(200);
  expect((await signIn("both", account)).body).toMatchObject({
    status: 403,
    type: expect.stringContaining("you-do-not-own-this-token") as string,
    requirements: {
      outcome: "unmet",
      all: [
        { label: "A coin", outcome: "unknown", needed: "1", chainId: 31338 },
        { label: "Ether", outcome: "unmet", needed: String(10n ** 30n), chainId: 31337 },
      ],
    },
  });
});

test("a token of a named kind is refused once its requirement is lost, and unknown while its chain is away", async () => {
  const account = gate.account(4);
  await gate.fund(4, 5_000_000n);
  const { body } = await signIn("patron", account);
  const headers = bearer(body.accessToken);
  const open = await gate.ask({ path: "/session", method: "POST", headers });
  const cookie = { Cookie: open.headers.get("set-cookie")!.split(";")[0]! };
  const uses = async () => {
    const [atGate, elsewhere, renewal] = await Promise.all([
      gate.ask({ path: gatePath, method: "POST", headers }),
      gate.ask({ path: "/api/quota", headers }),
      gate.ask({ path: "/session", method: "POST", json: { renew: true }, headers: cookie }),
    ]);
    return [atGate, elsewhere, renewal].map(({ status }) => status);
  };
  expect(await uses()).toEqual([200, 200, 200]);
  gate.second.rpc.setFault("http-500");
  expect(await uses()).toEqual([503, 503, 503]);
  gate.second.rpc.setFault("none");
  await gate.spendCoins(4, 1n);
  expect(await uses()).toEqual([403, 401, 401]);
});

test("the status of a key of an unknown kind is not told", async () => {
  expect((await gate.ask({ path: "/api/token-status/1?key=nobody" })).body).toMatchObject({
    status: 400,
    type: expect.stringContaining("invalid-request") as string,
  });
});

test("a kind that does not open the room admits to nothing, has a session, and its form is refused in words", async () => {
  const account = gate.account(7);
  const tokenId = await gate.mintKey(7);
  const { status, body } = await signIn("silent", account, { tokenId });
  expect(status).toBe(200);
  expect(body.content).toMatchObject({ welcomeText: "", textSubmissionAreaHtml: "", styles: "", script: "" });
  expect(claimsOf(body.accessToken)).toMatchObject({ key: "silent", scopes: ["chat"] });
  const headers = bearer(body.accessToken);
  expect((await gate.ask({ path: "/session", method: "POST", headers })).body).toMatchObject({
    signedIn: true,
    key: "silent",
  });
  expect((await gate.ask({ path: "/api/quota", headers })).status).toBe(200);
  expect(
    (await gate.ask({ path: "/api/tts", method: "POST", json: { text: "Hello" }, headers })).status,
  ).toBe(401);
  const form = await gate.form("silent", account, { tokenId, message: "Hello." });
  expect((await gate.post(formPath, form)).body).toMatchObject({
    status: 403,
    type: expect.stringContaining("not-opened-by-this-key") as string,
  });
});

test("a membership's form is sent once for each wallet, and no captured body serves twice", async () => {
  const account = gate.account(8);
  await gate.fund(8, 5_000_000n);
  // Using a key up requires a holding this deep.
  await gate.second.chain.control.mine({ blocks: 1 });
  const form = await gate.form("patron", account, { message: "Hello." });
  const answers = await Promise.all([gate.post(formPath, form), gate.post(formPath, form)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200,
    expect.toSatisfy((status) => status === 401 || status === 403),
  ]);
  const status = await gate.ask({ path: `/api/token-status/${form.tokenId}?key=patron` });
  expect(status.body).toMatchObject({ used: true, usedBy: account.address.toLowerCase() });
  expect((await signIn("patron", account)).body).toMatchObject({
    type: expect.stringContaining("this-token-has-already-been-used") as string,
  });
});

test("a delegate signs in for the vault, may not use the key up, and is out when the delegation ends", async () => {
  const [vault, delegate] = [gate.account(1), gate.account(3)];
  const tokenId = await gate.mintKey(1);
  const named = { tokenId, vault: vault.address };
  const refused = await signIn("lent", delegate, named);
  expect(refused.body).toMatchObject({ status: 403, requirements: { outcome: "unmet" } });
  expect((await signIn("founder", delegate, named)).status).toBe(400);
  const unnamed = { ...(await gate.siwe("lent", delegate, { tokenId })), vault: null };
  expect((await gate.post(gatePath, unnamed)).body).toMatchObject({
    errors: [{ path: "vault", message: expect.stringContaining("Without a vault, leave it out.") as string }],
  });

  const rights = `0x${Buffer.from("latchkey").toString("hex").padEnd(64, "0")}` as const;
  await gate.registry.delegateAll({ from: 1, to: delegate.address, rights });
  const { status, body } = await signIn("lent", delegate, named);
  expect(status).toBe(200);
  expect(claimsOf(body.accessToken)).toMatchObject({
    sub: delegate.address.toLowerCase(),
    vault: vault.address.toLowerCase(),
    key: "lent",
  });
  const headers = bearer(body.accessToken);
  expect((await gate.ask({ path: "/session", method: "POST", headers })).body).toMatchObject({
    vault: vault.address.toLowerCase(),
  });
  const form = await gate.form("lent", delegate, { ...named, message: "Hello." });
  expect((await gate.post(formPath, form)).body).toMatchObject({
    status: 403,
    type: expect.stringContaining("not-opened-by-this-key") as string,
  });
  const call = (name: string, input: object = {}) =>
    gate.ask({
      path: "/api/mcp",
      method: "POST",
      json: { method: "tools/call", params: { name, arguments: input } },
      headers,
    });
  expect((await call("mark_key_used")).body).toMatchObject({
    error: { message: expect.stringContaining("not a delegate") as string },
  });
  expect((await call("key_status", { tokenId, key: "patron" })).body).toMatchObject({
    result: { structuredContent: { exists: true, owner: null } },
  });
  await gate.registry.delegateAll({ from: 1, to: delegate.address, rights, isEnabled: false });
  expect((await gate.ask({ path: gatePath, method: "POST", headers })).status).toBe(403);
  expect((await gate.ask({ path: "/api/quota", headers })).status).toBe(401);
});
