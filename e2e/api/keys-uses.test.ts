import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { latchkeyRight } from "~e2e/support/chain/key-kinds";
import { limitsOff } from "~e2e/support/limits";
import { waitUntil } from "~e2e/support/processes";
import { chat, quotaOn } from "./chat-fixture";
import { claimsOf, openKeysGate } from "./keys-fixture";
import type { KeysGate, NamedHolder } from "./keys-fixture";
import { mcpOf } from "./mcp-fixture";

const gatePath = "/api/gate-access";
const formPath = "/api/form-submission-gate";
const payment = "send_crypto_to_signed_in_user";
const privateKey = generatePrivateKey();

let contentDir: string;
let gate: KeysGate;
beforeAll(async () => {
  contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-kinds-"));
  await writeFile(path.join(contentDir, "welcome.md"), "Everybody's room.");
  gate = await openKeysGate({
    env: {
      ...limitsOff,
      ...quotaOn,
      CONTENT_DIR: contentDir,
      AI_PRIVATE_KEY: privateKey,
      AI_OFFLINE_WORD_MS: "0",
      KEY_USE_CONFIRMATIONS: "0",
    },
  });
  for (const { chain } of [gate.first, gate.second])
    await chain.control.setBalance({ address: privateKeyToAccount(privateKey).address, value: 10n ** 18n });
}, 120_000);
afterAll(async () => {
  await gate.close();
  await rm(contentDir, { recursive: true });
});

const bearer = (token: unknown) => ({ Authorization: `Bearer ${String(token)}` });
type Kind = Parameters<KeysGate["siwe"]>[0];

async function signIn(kind: Kind, by: number, rest?: NamedHolder) {
  const { status, body } = await gate.post(gatePath, await gate.siwe(kind, gate.account(by), rest));
  expect(status).toBe(200);
  return {
    body,
    headers: bearer(body.accessToken),
    welcome: (body.content as { welcomeText: string }).welcomeText,
  };
}

/** A key in the wallet of account 1, with another account as its delegate. */
async function lendKey(delegate: number) {
  const tokenId = await gate.mintKey(1);
  await gate.registry.delegateAll({ from: 1, to: gate.account(delegate).address, rights: latchkeyRight });
  return { tokenId, vault: gate.account(1).address };
}

const tokenStatus = async (tokenId: string) =>
  (await gate.ask({ path: `/api/token-status/${tokenId}` })).body;
const call = (name: string, headers: Record<string, string>, args: Record<string, unknown> = {}) =>
  mcpOf(gate).callTool({ name, args, headers });

test("with delegatesMayUse a delegate sends the form and uses a key up, and without it does neither", async () => {
  const byForm = await lendKey(2);
  const refused = await gate.form("lent", gate.account(2), { ...byForm, message: "Not mine." });
  expect((await gate.post(formPath, refused)).status).toBe(403);
  expect(await tokenStatus(byForm.tokenId)).toMatchObject({ used: false });
  const sent = await gate.form("trusted", gate.account(2), { ...byForm, message: "For the vault." });
  expect((await gate.post(formPath, sent)).status).toBe(200);
  expect(await tokenStatus(byForm.tokenId)).toMatchObject({
    used: true,
    usedBy: gate.account(2).address.toLowerCase(),
  });

  const byTool = { ...byForm, tokenId: await gate.mintKey(1) };
  const lent = await signIn("lent", 2, byTool);
  expect((await call("mark_key_used", lent.headers)).error?.message).toContain("not a delegate");
  const trusted = await signIn("trusted", 2, byTool);
  expect((await call("mark_key_used", trusted.headers)).result?.structuredContent).toMatchObject({
    tokenId: byTool.tokenId,
  });
  expect(await tokenStatus(byTool.tokenId)).toMatchObject({ used: true });
});

test("the older envelope of a delegate opens the vault's key once, and not before the vault named it", async () => {
  const [vault, delegate] = [gate.account(3), gate.account(4)];
  const named = { tokenId: await gate.mintKey(3), vault: vault.address };
  const early = await gate.legacy("lent", delegate, named);
  expect((await gate.post(gatePath, early)).body).toMatchObject({
    status: 403,
    detail: expect.stringContaining("no delegate of the vault") as string,
  });
  await gate.registry.delegateAll({ from: 3, to: delegate.address, rights: latchkeyRight });
  const signed = await gate.legacy("lent", delegate, named);
  const { status, body } = await gate.post(gatePath, signed);
  expect(status).toBe(200);
  expect(claimsOf(body.accessToken)).toMatchObject({
    sub: delegate.address.toLowerCase(),
    vault: vault.address.toLowerCase(),
    key: "lent",
  });
  expect((await gate.post(gatePath, signed)).status).toBe(401);
});

test("a member of another chain is paid on the first kind's, and a delegate only where it may use the key", async () => {
  const [member, delegate] = [gate.account(5), gate.account(6)];
  await gate.fund(5, 5_000_000n);
  const balances = () =>
    Promise.all([gate.first, gate.second].map(({ chain }) => chain.viewer.getBalance(member)));
  const [before, elsewhere] = await balances();
  const { headers } = await signIn("patron", 5);
  const args = { amount: "0.0001", idempotencyKey: "of-a-member" };
  expect((await call(payment, headers, args)).result?.structuredContent).toMatchObject({
    status: "paid",
    to: member.address.toLowerCase(),
    chainId: 31337,
  });
  expect(await balances()).toEqual([before! + 10n ** 14n, elsewhere]);

  const named = await lendKey(6);
  const lent = await signIn("lent", 6, named);
  expect((await call(payment, lent.headers, args)).error?.message).toContain("not a delegate");
  const trusted = await signIn("trusted", 6, named);
  expect((await call(payment, trusted.headers, args)).result?.structuredContent).toMatchObject({
    status: "paid",
    to: delegate.address.toLowerCase(),
  });
});

test("keys of the same id have folders of their own by kind, the first kind's by the id alone", async () => {
  const tokenId = await gate.mintKey(7);
  const folders = { [tokenId]: "The founder's.", [`lent-${tokenId}`]: "The lent one's." };
  for (const [folder, text] of Object.entries(folders)) {
    await mkdir(path.join(contentDir, "tokens", folder), { recursive: true });
    await writeFile(path.join(contentDir, "tokens", folder, "welcome.md"), `${text} ![A lamp](lamp.svg)`);
    await writeFile(path.join(contentDir, "tokens", folder, "lamp.svg"), `<svg><desc>${text}</desc></svg>`);
  }
  for (const [kind, text] of [
    ["founder", "The founder's."],
    ["lent", "The lent one's."],
  ] as const) {
    const { welcome } = await signIn(kind, 7, { tokenId });
    expect(welcome).toContain(text);
    const [, picture = ""] = /\((\/media\/[^)]+)\)/.exec(welcome) ?? [];
    expect((await gate.ask({ path: picture })).body.text).toContain(text);
  }
  expect((await signIn("trusted", 7, { tokenId })).welcome).toBe("Everybody's room.");
});

test("a key of the second chain that leaves its wallet ends the tokens of that kind, also once it is back", async () => {
  const { chain } = gate.second;
  const tokenId = await chain.mintKey(5);
  const { headers } = await signIn("abroad", 5, { tokenId });
  const quotaStatus = async () => (await gate.ask({ path: "/api/quota", headers })).status;
  expect(await quotaStatus()).toBe(200);
  await chain.transferKey({ from: 5, to: chain.addressOf(6), tokenId });
  await chain.transferKey({ from: 6, to: chain.addressOf(5), tokenId });
  await waitUntil(async () => (await quotaStatus()) === 401);
  const database = await openDatabase({ url: gate.server.databaseUrl });
  onTestFinished(() => closeDatabase(database));
  expect(await database.keyDeparture.findMany({ where: { tokenId } })).toMatchObject([
    { chainId: 31338n },
    { chainId: 31338n },
  ]);
});

test("the same id has a quota for each contract, which kinds of one contract share", async () => {
  const tokenId = await gate.mintKey(8);
  let abroad = "";
  while (abroad !== tokenId) abroad = await gate.second.chain.mintKey(8);
  const founder = await signIn("founder", 8, { tokenId });
  expect((await chat({ port: gate.server.port, headers: founder.headers })).status).toBe(200);
  const usedBy = async (kind: Kind) => {
    const { headers } = await signIn(kind, 8, { tokenId });
    return (await gate.ask({ path: "/api/quota", headers })).body.used;
  };
  const used = await usedBy("founder");
  expect(used).toBeGreaterThan(0);
  expect([await usedBy("silent"), await usedBy("abroad")]).toEqual([used, 0]);
});
