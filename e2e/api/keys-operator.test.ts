import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { latchkeyRight } from "~e2e/support/chain/key-kinds";
import { waitUntil } from "~e2e/support/processes";
import { openKeysGate, takeAway } from "./keys-fixture";
import type { KeysGate } from "./keys-fixture";
import { signInAsOperator } from "~e2e/support/operator-session";

const secret = "Qm7rV2kXw9TzLc4H";
const metricsToken = "metrics-token-of-the-tests-0123";

let gate: KeysGate;
let database: Database;
let cookie: string;
beforeAll(async () => {
  const limits = { RATE_LIMIT_OPERATOR: "0", RATE_LIMIT_OPERATOR_CHECK: "8/600" };
  gate = await openKeysGate({
    env: { ...limits, OPERATOR_SECRET: secret, METRICS_TOKEN: metricsToken, KEY_USE_CONFIRMATIONS: "0" },
  });
  database = await openDatabase({ url: gate.server.databaseUrl });
  const { origin } = gate.server;
  cookie = await signInAsOperator({ origin, secret });
}, 120_000);
afterAll(async () => {
  await closeDatabase(database);
  await gate.close();
});

const addressOf = (index: number) => gate.account(index).address.toLowerCase();
const countChecks = () => database.auditEntry.count({ where: { kind: "operator-check" } });

/** The page's text as the operator reads it. */
async function open(path: string, method = "GET"): Promise<string> {
  const answer = await fetch(`${gate.server.origin}${path}`, { method, headers: { cookie } });
  expect(answer.status).toBe(200);
  const [, main = ""] = /<main[^>]*>(.*)<\/main>/s.exec(await answer.text()) ?? [];
  return main
    .replaceAll(/<!--.*?-->|<[^>]+>/gs, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll(/\s+/g, " ");
}

test("a check shows every kind with what is held, secret leaves and blocks, and is audited", async () => {
  const tokenId = await gate.mintKey(1);
  await gate.fund(1, 2_500_000n);
  const text = await open(`/operator/check?address=${gate.account(1).address}&tokenId=${tokenId}`);
  expect(text).toContain(`Holds key #${tokenId}`);
  expect(text).toContain(`owned by ${addressOf(1)}`);
  expect(text).toContain("needs 5 (5000000 base units); holds 2.5 (2500000 base units)");
  expect(text).toMatch(/leaf 1 secret is not on the list/);
  expect(text).toMatch(/not met Patrons patron/);
  expect(text).toMatch(/met Founder's key founder/);
  expect(text).toMatch(/Chain 31337: block \d+\./);
  expect(text).toMatch(/Chain 31338: block \d+\./);
  expect(text).toContain("Not used up. Never seen leaving this wallet.");
  const [entry] = await database.auditEntry.findMany({ where: { kind: "operator-check" } });
  expect(JSON.parse(entry!.detail)).toEqual({ address: addressOf(1), tokenId });
});

test("a chain that is away leaves its part unknown, and bad input is told without asking anybody", async () => {
  const before = await countChecks();
  takeAway(gate.second);
  const text = await open(`/operator/check?address=${addressOf(2)}`);
  expect(text).toContain("unknown Patrons");
  expect(text).toContain("Chain 31338 could not be read.");
  expect(text).toContain("no id given Founder's key");
  expect(await countChecks()).toBe(before + 1);

  expect(await open("/operator/check?address=vitalik.eth&tokenId=-1")).toMatch(
    /This is no wallet address: 0x and 40 hex digits\..*This is no id of a key/,
  );
  await open("/operator/check");
  await open(`/operator/check?address=${addressOf(2)}`, "HEAD");
  expect(await countChecks()).toBe(before + 1);
});

test("a refusal is recorded and counted with its kind and what was missing", async () => {
  const poor = gate.account(3);
  const refused = await gate.post("/api/gate-access", await gate.siwe("patron", poor));
  expect(refused.status).toBe(403);
  const byBanned = await gate.siwe("patron", gate.account(9));
  expect((await gate.post("/api/gate-access", byBanned)).status).toBe(403);
  const foreign = await gate.siwe("founder", poor, { tokenId: await gate.mintKey(4) });
  expect((await gate.post("/api/gate-access", foreign)).status).toBe(403);

  const findRow = (address: string, keyKind: string) =>
    database.accessDecision.findFirst({ where: { address: address.toLowerCase(), keyKind } });
  await waitUntil(async () => (await findRow(poor.address, "founder")) !== null);
  expect(await findRow(poor.address, "patron")).toMatchObject({ outcome: "refused", missing: "0: 5 coins" });
  expect((await findRow(gate.banned, "patron"))?.missing).toBe("0: 5 coins; 1: On a list of addresses");
  expect((await findRow(poor.address, "founder"))?.missing).toBe("key");
  expect(await open("/operator/decisions?keyKind=patron&missing=5+coins")).toContain("0: 5 coins");
  const csv = await fetch(`${gate.server.origin}/operator/export/decisions?keyKind=founder`, {
    headers: { cookie },
  });
  expect(await csv.text()).toMatch(/tokenId,keyKind,reason,missing,.*\r\n.*,founder,/);

  const headers = { Authorization: `Bearer ${metricsToken}` };
  const metrics = String((await gate.ask({ path: "/metrics", headers })).body.text);
  expect(metrics).toContain('latchkey_key_refusals_total{kind="patron",leaf="0"} 2');
  expect(metrics).toContain('latchkey_key_refusals_total{kind="patron",leaf="secret"} 1');
  expect(metrics).toContain('latchkey_key_refusals_total{kind="founder",leaf="key"} 1');
  expect(metrics).toMatch(/latchkey_key_readings_total\{chain="31338",outcome="ok"\} \d+/);
  expect(metrics).not.toContain("On a list of addresses");
});

test("of a delegate the record says for whom: of one who was let in, of each later request, and of one turned away", async () => {
  const [vault, delegate, other] = [gate.account(6), gate.account(7), gate.account(8)];
  const named = { tokenId: await gate.mintKey(6), vault: vault.address };
  await gate.registry.delegateAll({ from: 6, to: delegate.address, rights: latchkeyRight });
  const { body } = await gate.post("/api/gate-access", await gate.siwe("trusted", delegate, named));
  const headers = { Authorization: `Bearer ${String(body.accessToken)}` };
  expect((await gate.ask({ path: "/session", method: "POST", headers })).status).toBe(200);
  expect((await gate.post("/api/gate-access", await gate.siwe("trusted", other, named))).status).toBe(403);
  const form = await gate.form("trusted", delegate, { ...named, message: "For the vault." });
  expect((await gate.post("/api/form-submission-gate", form)).status).toBe(200);

  const keyed = { tokenId: named.tokenId, vault: vault.address.toLowerCase() };
  const countRows = () => database.accessDecision.count({ where: keyed });
  await waitUntil(async () => (await countRows()) === 4);
  const asked = database.accessDecision.findMany({ where: keyed, orderBy: { atMs: "asc" } });
  expect((await asked).map(({ proof, outcome }) => `${proof} ${outcome}`)).toEqual([
    "siwe granted",
    "bearer granted",
    "siwe refused",
    "legacy granted",
  ]);
  expect(await open(`/operator/decisions?vault=${keyed.vault}`)).toMatch(/Wallet For Key/);
  const [notification] = await database.notification.findMany({ where: { kind: "submission.received" } });
  expect(JSON.parse(notification!.payload)).toMatchObject({ data: keyed });
});

test("checks are limited, and one beyond the limit asks nobody", async () => {
  const path = `/operator/check?address=${addressOf(5)}`;
  let text = "";
  for (let count = 0; count < 9; count += 1) text = await open(path);
  expect(text).toContain("You can try again in");
  expect(await countChecks()).toBe(8);
});
