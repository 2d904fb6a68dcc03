import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { readBuiltRoutes } from "~e2e/support/built-routes";
import { waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const secret = "Qm7rV2kXw9TzLc4H";
const limitsOff = {
  RATE_LIMIT_NONCE: "0",
  RATE_LIMIT_GATE_ACCESS: "0",
  RATE_LIMIT_FORM_SUBMISSION: "0",
  RATE_LIMIT_OPERATOR: "0",
};

let gate: Gate;
let database: Database;
beforeAll(async () => {
  const env = { ...limitsOff, OPERATOR_SECRET: secret, NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true" };
  gate = await openGate({ env });
  database = await openDatabase({ url: gate.server.databaseUrl });
});
afterAll(async () => {
  await closeDatabase(database);
  await gate.close();
});

type Asked = { path: string; cookie?: string; origin?: string };

function send({
  path: where,
  cookie,
  origin = gate.origin,
  ...init
}: Asked & RequestInit): Promise<Response> {
  const headers = { ...(cookie ? { cookie } : {}), ...(init.headers as Record<string, string>) };
  return fetch(`${origin}${where}`, { redirect: "manual", ...init, headers });
}

type Form = Asked & { fields?: Record<string, string>; headers?: Record<string, string> };

function post({ fields = {}, headers = {}, ...asked }: Form): Promise<Response> {
  const own = { Origin: asked.origin ?? gate.origin };
  const body = new URLSearchParams(fields);
  return send({ ...asked, method: "POST", body, headers: { ...own, ...headers } });
}

async function signIn(origin = gate.origin): Promise<string> {
  const answer = await post({ path: "/operator/sign-in", fields: { secret }, origin });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/operator/state"]);
  return answer.headers.get("set-cookie")!.split(";")[0]!;
}

/** All routes below /operator in the build, except the two for strangers. */
const guarded = readBuiltRoutes()
  .filter(({ pattern }) => pattern.startsWith("/operator/"))
  .map((route) => ({
    ...route,
    path: route.pattern.replace(":table", "submissions").replace(":submissionId", "some-id"),
  }))
  .filter(({ pattern }) => pattern !== "/operator/sign-in");

test("every address without a session leads to the sign-in or refuses, with a holder's token too", async () => {
  expect(guarded.length).toBeGreaterThanOrEqual(6);
  const holder = await gate.mintKey();
  const token = String((await gate.signIn(holder)).body.accessToken);
  await gate.post(
    "/api/form-submission-gate",
    await gate.formBody({ ...holder, message: "only for the operator" }),
  );
  for (const headers of [
    {},
    { Authorization: `Bearer ${token}` },
    { Authorization: `Bearer ${secret}` },
    { cookie: `access_token=${token}; latchkey_operator=${token}` },
    { cookie: `latchkey_operator=${secret}` },
    { "X-Operator-Secret": secret },
  ] as Record<string, string>[]) {
    for (const { path: where, isResource } of guarded) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const init = method === "POST" ? { body: new URLSearchParams({ scope: "both" }) } : {};
        const answer = await send({
          path: where,
          method,
          ...init,
          headers: { Origin: gate.origin, ...headers },
        });
        expect((await answer.text()).includes("only for the operator"), where).toBe(false);
        expect(answer.headers.get("cache-control"), `${method} ${where}`).toContain("no-store");
        const expected = isResource || method === "POST" ? [401, 405] : [302];
        expect(expected, `${method} ${where}`).toContain(answer.status);
        if (answer.status === 302)
          expect(answer.headers.get("location")).toMatch(/^\/operator\/sign-in\?next=/);
      }
      if (isResource) continue;
      // Pages load their data this way.
      const data = await send({ path: `${where}.data`, headers });
      const text = await data.text();
      expect(text, where).toContain("/operator/sign-in");
      expect(text.includes("only for the operator") || text.includes("dependencies"), where).toBe(false);
    }
  }
  expect(await database.auditEntry.count({ where: { kind: { not: "operator-sign-in-refused" } } })).toBe(0);
});

test("without kinds from a file, a check shows the one kind", async () => {
  const cookie = await signIn();
  const { account, tokenId } = await gate.mintKey();
  const path = `/operator/check?address=${account.address}&tokenId=${tokenId}`;
  const text = await (await send({ path, cookie })).text();
  expect(text).toContain(`Holds key #${tokenId}`);
  expect(text).toContain(`owned by ${account.address.toLowerCase()}`);
  const other = await send({ path: path.replace(account.address, gate.contract), cookie });
  expect(await other.text()).toMatch(/tone-problem">not met/);
  expect(await database.accessDecision.count({ where: { keyKind: { not: null } } })).toBe(0);
});

test("every page with a session is served uncached, and shows what happened", async () => {
  const cookie = await signIn();
  for (const name of [
    "state",
    "activity",
    "check",
    "keys",
    "submissions",
    "outbox",
    "payments",
    "quotas",
    "limits",
    "decisions",
    "audit",
  ]) {
    const answer = await send({ path: `/operator/${name}`, cookie });
    const text = await answer.text();
    expect([name, answer.status, answer.headers.get("cache-control")]).toEqual([name, 200, "no-store"]);
    expect(text).toContain("<h1>");
    expect(text).not.toContain(secret);
  }
  const submissions = await (await send({ path: "/operator/submissions", cookie })).text();
  expect(submissions).toContain("only for the operator");
  const decisions = await (await send({ path: "/operator/decisions?outcome=granted", cookie })).text();
  expect(decisions).toContain("/api/form-submission-gate");
  expect((await send({ path: "/operator/nothing", cookie })).status).toBe(404);
  expect((await send({ path: "/operator/submissions/nothing", cookie })).status).toBe(404);
  const bad = await send({ path: "/operator/decisions?page=x&sort=y&size=9&outcome=z&address=%00", cookie });
  expect(bad.status).toBe(200);
  expect(await bad.text()).toContain("Part of the address could not be used");
});

test("a session's cookie has every restriction, and is deleted at sign-out", async () => {
  const answer = await post({
    path: "/operator/sign-in",
    fields: { secret, next: "/operator/keys?order=asc" },
  });
  expect(answer.headers.get("location")).toBe("/operator/keys?order=asc");
  expect(answer.headers.get("set-cookie")).toMatch(
    /^latchkey_operator=[\w-]{43}; Path=\/operator; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
  const out = await post({ path: "/operator/sign-in?out", cookie });
  expect([out.status, out.headers.get("location")]).toEqual([303, "/operator/sign-in?done=signed-out"]);
  expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  expect((await send({ path: "/operator/state", cookie })).status).toBe(302);
});

test("a wrong secret is 401 to a program, a notice to a person, and recorded for both", async () => {
  const countRefused = async () => {
    const rows = await database.auditEntry.findMany({ where: { kind: "operator-sign-in-refused" } });
    return rows.reduce((sum, { detail }) => sum + (JSON.parse(detail) as { times: number }).times, 0);
  };
  const before = await countRefused();
  const program = await post({ path: "/operator/sign-in", fields: { secret: "wrong" } });
  expect(program.status).toBe(401);
  expect(program.headers.get("set-cookie")).toBeNull();
  expect(await program.json()).toMatchObject({ status: 401, title: "That is not the secret" });
  const person = await post({
    path: "/operator/sign-in",
    fields: { secret: "wrong" },
    headers: { Accept: "text/html" },
  });
  expect([person.status, person.headers.get("location")]).toEqual([
    303,
    "/operator/sign-in?fault=operator-secret-wrong",
  ]);
  const page = await send({ path: "/operator/sign-in?fault=operator-secret-wrong" });
  expect(await page.text()).toContain("That is not the secret");
  expect(await countRefused()).toBe(before + 2);
  for (const init of [
    { body: JSON.stringify({ secret }), headers: { "Content-Type": "application/json" } },
    { body: "a".repeat(9_000), headers: { "Content-Type": "application/x-www-form-urlencoded" } },
  ]) {
    const answer = await send({
      path: "/operator/sign-in",
      method: "POST",
      ...init,
      headers: { ...init.headers, Origin: gate.origin },
    });
    expect([413, 415]).toContain(answer.status);
  }
});

test("forms of other sites, and without a session, are refused and do nothing", async () => {
  const cookie = await signIn();
  for (const headers of [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: `${gate.origin}.evil.example` },
    { Origin: gate.origin, "Sec-Fetch-Site": "cross-site" },
    { Origin: gate.origin, "Sec-Fetch-Site": "same-site" },
  ] as Record<string, string>[]) {
    for (const where of ["/operator/sign-in", "/operator/sign-in?out", "/operator/quotas"]) {
      const answer = await post({
        path: where,
        cookie,
        fields: { secret, do: "reset-quotas", scope: "both" },
        headers,
      });
      expect([where, answer.status], JSON.stringify(headers)).toEqual([where, 403]);
    }
  }
  const bare = await send({ path: "/operator/sign-in?out", cookie, method: "POST" });
  expect(bare.status).toBe(403);
  // A stranger's form isn't even read.
  const large = { method: "POST", body: "a".repeat(9_000), headers: { Origin: gate.origin } };
  expect((await send({ path: "/operator/quotas", ...large })).status).toBe(401);
  expect((await send({ path: "/operator/state", cookie })).status).toBe(200);
});

test("guessing is limited before any secret is compared, and the right one then has to wait too", async () => {
  const other = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      OPERATOR_SECRET: secret,
      RATE_LIMIT_OPERATOR: "3/60",
    },
  });
  try {
    const attempt = (given: string, headers = {}) =>
      post({ path: "/operator/sign-in", fields: { secret: given }, origin: other.origin, headers });
    for (let index = 0; index < 3; index++) expect((await attempt(`wrong-${index}`)).status).toBe(401);
    const refused = await attempt(secret);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const person = await attempt(secret, { Accept: "text/html" });
    const location = String(person.headers.get("location"));
    const until = Number(/fault=too-many-requests&until=(\d+)$/.exec(location)?.[1]);
    expect(until).toBeGreaterThan(Date.now() / 1_000);
    expect(until).toBeLessThan(Date.now() / 1_000 + 62);
    const page = await (await send({ path: location, origin: other.origin })).text();
    expect(page).toMatch(/You can try again in <strong>\d+(<!-- -->)? s<\/strong>/);
  } finally {
    await other.stop();
  }
});

test("changing the secret ends every session, and without a secret the view is not served", async () => {
  const env = { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract };
  const first = await startServer({ env: { ...env, OPERATOR_SECRET: secret }, dataDir: gate.server.dataDir });
  const cookie = await signIn(first.origin);
  await first.stop();
  const second = await startServer({
    env: { ...env, OPERATOR_SECRET: "another-Zt8wLq2VkRm5" },
    dataDir: gate.server.dataDir,
  });
  expect((await send({ path: "/operator/state", cookie, origin: second.origin })).status).toBe(302);
  await second.stop();
  const without = await startServer({ env, dataDir: gate.server.dataDir });
  try {
    for (const { path: where } of [...guarded, { path: "/operator" }, { path: "/operator/sign-in" }]) {
      const answer = await send({ path: where, cookie, origin: without.origin });
      expect([where, [404, 405].includes(answer.status)]).toEqual([where, true]);
    }
    const page = await (await send({ path: "/operator", origin: without.origin })).text();
    expect(page).toContain("is switched off");
    expect(page).toContain("OPERATOR_SECRET");
    const answer = await post({ path: "/operator/sign-in", fields: { secret: "" }, origin: without.origin });
    expect(answer.status).toBe(404);
  } finally {
    await without.stop();
  }
});

test("exports hold every row once, are audited, and hold nothing that a spreadsheet runs", async () => {
  const cookie = await signIn();
  await database.submission.createMany({
    data: Array.from({ length: 1_300 }, (_, index) => ({
      id: `export-${index}`,
      chainId: 1n,
      contractAddress: "0xexport",
      tokenId: String(index),
      address: "0xexported",
      requestId: "r",
      createdAtMs: BigInt(1_700_000_000_000 + index),
      message: index === 7 ? '=HYPERLINK("https://evil.example")' : `Message, "${index}"`,
    })),
  });
  const filter = "address=0xexported";
  const csv = await send({ path: `/operator/export/submissions?${filter}`, cookie });
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(csv.headers.get("content-disposition")).toBe('attachment; filename="submissions.csv"');
  expect(csv.headers.get("cache-control")).toBe("no-store");
  const lines = (await csv.text()).trimEnd().split("\r\n");
  expect(lines[0]).toBe("createdAt,tokenId,address,message,state");
  expect(lines).toHaveLength(1_301);
  expect(lines[8]).toBe(`2023-11-14T22:13:20.007Z,7,0xexported,"'=HYPERLINK(""https://evil.example"")",open`);
  const json = await send({ path: `/operator/export/submissions?${filter}&format=json`, cookie });
  const rows = (await json.json()) as { id: string; message: string }[];
  expect(new Set(rows.map(({ id }) => id)).size).toBe(1_300);
  expect(rows[7]?.message).toBe('=HYPERLINK("https://evil.example")');
  const empty = await send({ path: "/operator/export/keys?tokenId=none&format=json", cookie });
  expect(await empty.json()).toEqual([]);
  const entries = await database.auditEntry.findMany({ where: { kind: "operator-export" } });
  expect(entries).toHaveLength(3);
  for (const [where, status] of [
    ["/operator/export/submissions?format=xlsx", 400],
    ["/operator/export/submissions?state=perhaps", 400],
    ["/operator/export/outbox", 404],
    ["/operator/export/nothing", 404],
  ] as const) {
    expect([where, (await send({ path: where, cookie })).status]).toEqual([where, status]);
  }
});

test("windows are reset, submissions marked and notifications sent again, each with an audit entry", async () => {
  const cookie = await signIn();
  const subject = `31337:${gate.contract.toLowerCase()}:5`;
  const window = { used: 5, windowStartMs: 1n, resetAtMs: BigInt(Date.now() + 60_000) };
  await database.quotaWindow.createMany({
    data: [
      { ...window, kind: "token", subject },
      { ...window, kind: "speech", subject },
      { ...window, kind: "crypto", subject: "0xaa" },
    ],
  });
  const act = async (path: string, action: string, fields: Record<string, string>) => {
    const answer = await post({ path: `/operator/${path}`, cookie, fields: { ...fields, do: action } });
    return [answer.status, answer.headers.get("location")];
  };
  expect(await act("quotas?kind=token", "reset-window", { kind: "token", subject })).toEqual([
    303,
    "/operator/quotas?kind=token&done=reset&count=1",
  ]);
  expect((await database.quotaWindow.findMany()).map(({ kind }) => kind).sort()).toEqual([
    "crypto",
    "speech",
  ]);
  expect(await act("quotas", "reset-quotas", { scope: "both" })).toEqual([
    303,
    "/operator/quotas?done=reset&count=1",
  ]);
  expect(await database.quotaWindow.count()).toBe(0);

  const { id } = await database.submission.findFirstOrThrow({ where: { message: "only for the operator" } });
  const [status, location] = await act("quotas?x=//evil.example", "mark-handled", { submissionId: id });
  expect([status, location]).toEqual([
    303,
    "/operator/submissions?x=%2F%2Fevil.example&done=handled&count=1",
  ]);
  expect(await act("outbox", "retry-given-up", {})).toEqual([303, "/operator/outbox?done=retried&count=0"]);
  expect((await act("quotas", "reset-window", { kind: "everything", subject }))[0]).toBe(400);
  expect((await act("quotas", "reset-window", {}))[0]).toBe(400);
  expect((await act("keys", "constructor", {}))[0]).toBe(404);
  const page = await (await send({ path: "/operator/audit?kind=operator-mark", cookie })).text();
  expect(page).toContain(id);
});

test("decisions are recorded with who, what and why, and without any proof", async () => {
  const cookie = await signIn();
  const holder = await gate.mintKey();
  const body = await gate.siweBody(holder);
  const granted = await gate.post("/api/gate-access", body);
  const token = String(granted.body.accessToken);
  const again = await gate.post("/api/gate-access", body);
  const chat = await gate.post("/api/chat", { messages: [{ role: "user", content: "Hello" }] });
  expect([granted.status, again.status, chat.status]).toEqual([200, 401, 401]);
  await gate.ask({ path: "/api/gate-access", method: "POST", headers: { Authorization: `Bearer ${token}` } });
  const ids = [granted, again, chat].map(({ headers }) => headers.get("x-request-id")!);
  await waitUntil(
    async () => (await database.accessDecision.count({ where: { requestId: { in: ids } } })) === 3,
  );
  const rows = await database.accessDecision.findMany({
    where: { requestId: { in: ids } },
    orderBy: { id: "asc" },
  });
  const address = holder.account.address.toLowerCase();
  expect(rows.find(({ requestId }) => requestId === ids[0])).toMatchObject({
    outcome: "granted",
    route: "/api/gate-access",
    proof: "siwe",
    address,
    tokenId: holder.tokenId,
    slug: null,
    reason: null,
  });
  expect(rows.find(({ requestId }) => requestId === ids[1])).toMatchObject({
    outcome: "refused",
    address,
    tokenId: holder.tokenId,
    slug: "authentication-failed",
    reason: expect.stringContaining("nonce has been used"),
  });
  expect(rows.find(({ requestId }) => requestId === ids[2])).toMatchObject({
    outcome: "refused",
    route: "/api/chat",
    address: null,
    slug: "missing-jwt",
  });
  const all = JSON.stringify(await database.accessDecision.findMany(), (_, value) => String(value));
  for (const proof of [token, String(body.signature), String(body.nonce), "Hello"])
    expect(all).not.toContain(proof);
  const page = await (await send({ path: `/operator/decisions?requestId=${ids[1]}`, cookie })).text();
  expect(page).toContain("nonce has been used");
  const activity = await (await send({ path: "/operator/activity?span=hour", cookie })).text();
  expect(activity).toMatch(/Content granted: [1-9]/);
  const series = { in: ["grant:siwe", "grant:bearer", "refusal:missing-jwt"] };
  expect(
    await database.activityCount.count({ where: { series, spanSeconds: 3_600 } }),
  ).toBeGreaterThanOrEqual(3);
  expect(activity).toMatch(/<rect fill="var\(--accent\)" x="/);
});

test("a refused form is recorded with whom it names, a refused session with whose token it is", async () => {
  const holder = await gate.mintKey();
  const { tokenId } = holder;
  const address = holder.account.address.toLowerCase();
  const { accessToken } = (await gate.post("/api/gate-access", await gate.siweBody(holder))).body;
  const keyContract = { chainId: BigInt(gate.chain.chainId), contractAddress: gate.contract.toLowerCase() };
  await database.usedKey.create({ data: { ...keyContract, tokenId, usedBy: address, usedAtMs: 1n } });
  const signature = `0x${"0".repeat(130)}`;
  const form = { address, tokenId, signature, timestamp: 1, message: "Hello" };
  const begin = { path: "/session", method: "POST", headers: { Authorization: `Bearer ${accessToken}` } };
  for (const [refused, proof] of [
    [await gate.post("/api/form-submission-gate", form), "legacy"],
    [await gate.ask(begin), "bearer"],
  ] as const) {
    expect(refused.status).toBe(401);
    const requestId = refused.headers.get("x-request-id")!;
    await waitUntil(async () => (await database.accessDecision.count({ where: { requestId } })) === 1);
    expect(await database.accessDecision.findFirst({ where: { requestId } })).toMatchObject({
      outcome: "refused",
      proof,
      address,
      tokenId,
    });
  }
});

test("buffered records are written at a stop", async () => {
  const env = { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, OPERATOR_SECRET: secret };
  const other = await startServer({ env, dataDir: gate.server.dataDir });
  const answer = await fetch(`${other.origin}/api/gate-access`, { method: "POST" });
  const requestId = answer.headers.get("x-request-id")!;
  expect(await other.stop()).toBe(0);
  expect(await database.accessDecision.count({ where: { requestId } })).toBe(1);
});
