import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createLogLines } from "~e2e/support/log-lines";
import { createLog, openLog } from "./log.server";
import { isTextFormat } from "./text-line.mjs";
import { redactFields, redactText } from "./redact";

const planted = {
  jwt: "eyJhbGciOiJFUzI1NiJ9.eyJwbGFudGVkIjoxfQ.c2lnbmF0dXJlLXBsYW50ZWQ",
  nonce: "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
  signature: `0x${"ab".repeat(65)}`,
  compactSignature: `0x${"cd".repeat(64)}`,
  secret: "planted-hunter2",
  webhookSecret: "whsec_cGxhbnRlZC1odW50ZXIy",
  message: "planted words of a person",
};

/** Names under which each may be logged, as our code, clients and libraries write them. */
const names: Record<keyof typeof planted, string[]> = {
  jwt: [
    "jwt",
    "token",
    "accessToken",
    "access_token",
    "authorization",
    "Authorization",
    "cookie",
    "set-cookie",
  ],
  nonce: ["nonce", "siweNonce", "Nonce", "nonces"],
  signature: ["signature", "webhook-signature", "signatures"],
  compactSignature: ["signature", "walletSignature"],
  secret: [
    "secret",
    "x-quota-reset-secret",
    "JWT_SECRET",
    "password",
    "apiKey",
    "api_key",
    "x-api-key",
    "privateKey",
  ],
  webhookSecret: ["secret", "WEBHOOK_SECRET"],
  message: ["message", "messages", "text", "body", "payload", "prompt", "content", "siweMessage"],
};

const cases = Object.entries(names).flatMap(([what, keys]) =>
  keys.map((key) => ({ what, key, value: planted[what as keyof typeof planted] })),
);

test.each(cases)("$what under the name $key is never logged, however it is wrapped", ({ key, value }) => {
  const { log, lines, entries } = createLogLines();
  const circular: Record<string, unknown> = { [key]: value };
  circular.self = circular;
  log.info({ [key]: value }, "at the top");
  log.info({ a: { b: { c: { d: { e: { [key]: value } } } } } }, "deep");
  log.info({ list: [1, [{ [key]: value }]] }, "in a list");
  log.info({ [key]: [value] }, "as a list");
  log.info({ [key]: { inner: value } }, "as an object");
  log.info(circular, "in a circle");
  log.info({ headers: Object.assign(Object.create(null), { [key]: value }) }, "without a prototype");
  log.child({ [key]: value }).info("in a child");
  log
    .child({ outer: { [key]: value } }, { level: "debug" })
    .child({ [key]: value })
    .info("in a grandchild");
  const rebound = log.child({});
  rebound.setBindings({ [key]: value });
  rebound.info("rebound");
  log.error(Object.assign(new Error("failed"), { [key === "message" ? "body" : key]: value }), "on an error");
  log.error({ err: new Error("outer", { cause: { [key]: value } }) }, "in a cause");
  log.error(
    { err: new AggregateError([Object.assign(new Error("one"), { data: { [key]: value } })]) },
    "gathered",
  );
  expect(lines).toHaveLength(13);
  expect(lines.join("")).not.toContain(value);
  expect(entries().every((entry) => typeof entry.msg === "string")).toBe(true);
});

const bare = { ...planted } as Record<string, string>;
delete bare.message;

test.each(Object.entries(bare))("%s inside running text is never logged", (what, value) => {
  const { log, lines, entries } = createLogLines();
  const name = what === "webhookSecret" || what === "compactSignature" ? "secret" : what;
  const text = [
    `GET /api/chat?${name}=${value}&x=1`,
    `${name}: ${value}`,
    `{"${name}":"${value}"}`,
    `{"${name}": "${value}"}`,
    `Authorization: Bearer ${value}`,
    `authorization=basic ${value}`,
    `Cookie: a=b; access_token=${value}; Path=/`,
    `https://user:${value}@rpc.example/path`,
  ].join("\n");
  log.info(text);
  log.info({ where: text, list: [text] }, "%s and %j", text, { text });
  log.error(new Error(text));
  log.error({ err: new Error("outer", { cause: new Error(text) }) }, "with cause");
  log.child({ note: text }, { msgPrefix: `${name}=${value} ` }).warn("from a child");
  expect(lines.join("")).not.toContain(value);
  expect(entries()).toHaveLength(5);
  expect(lines.join("")).toContain("rpc.example/path");
});

test("a whole SIWE message in a text loses its nonce, a raw request becomes a word, bytes become a count", () => {
  const { log, lines, entries } = createLogLines();
  log.info({ note: `x wants you to sign in\n\nNonce: ${planted.nonce}\nIssued At: 2026` });
  const request = new IncomingMessage(new Socket());
  request.headers.authorization = `Bearer ${planted.jwt}`;
  log.info({
    request,
    bytes: Buffer.from(planted.secret),
    at: new URL(`https://a.example/?jwt=${planted.jwt}`),
  });
  expect(lines.join("")).not.toMatch(new RegExp([planted.nonce, planted.jwt, planted.secret].join("|")));
  expect(entries()[1]).toMatchObject({ request: "[IncomingMessage]", bytes: "[15 bytes]" });
});

test("facts that an operator needs are logged unchanged", () => {
  const { log, entries } = createLogLines();
  const facts = {
    requestId: "0b8f6c52-6f0e-4b0e-9d0a-0d6f6f0e4b0e",
    route: "/api/gate-access",
    status: 401,
    tokenId: "42",
    messageId: "m-1",
    messageHash: `0x${"12".repeat(32)}`,
    hasSignature: true,
    nonces: 12,
    clientId: "2001:db8::/64",
    outputTokens: 7,
    nothing: null,
  };
  log.info(facts, "the signature does not match the address");
  expect(entries()[0]).toMatchObject({
    ...facts,
    msg: "the signature does not match the address",
    level: "info",
  });
});

test("an error is logged with its type, message, stack and cause", () => {
  const { log, entries } = createLogLines();
  log.error(new TypeError("outer failed", { cause: new RangeError("inner failed") }));
  expect(entries()[0]).toMatchObject({
    msg: "outer failed",
    err: {
      type: "TypeError",
      message: "outer failed",
      stack: expect.stringContaining("log.test.ts"),
      cause: { type: "RangeError", message: "inner failed" },
    },
  });
});

test("token ids of any size, hostile objects and line breaks are logged as one valid line each", () => {
  const { log, lines, entries } = createLogLines();
  const hostile = Object.defineProperty({}, "trap", {
    enumerable: true,
    get() {
      throw new Error("no");
    },
  });
  log.info(
    { tokenId: 2n ** 256n - 1n, hostile, invalid: new Date(Number.NaN), call: () => 1 },
    "a\nb\u2028c",
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toContain("\n");
  expect(entries()[0]).toMatchObject({ tokenId: String(2n ** 256n - 1n), hostile: { trap: "[unreadable]" } });
});

test("times are ISO 8601, and lines below the level are not written", () => {
  const lines: string[] = [];
  const log = createLog("warn", { write: (line) => void lines.push(line) });
  log.info("quiet");
  log.warn("loud");
  expect(lines).toHaveLength(1);
  const { time } = JSON.parse(lines[0] ?? "") as { time: string };
  expect(new Date(time).toISOString()).toBe(time);
});

test("nesting beyond the maximum is cut, and a value that occurs twice is no circle", () => {
  const shared = { ok: 1 };
  expect(redactFields({ a: shared, b: shared })).toEqual({ a: { ok: 1 }, b: { ok: 1 } });
  let deep: Record<string, unknown> = { end: true };
  for (let level = 0; level < 50; level++) deep = { deep };
  expect(JSON.stringify(redactFields(deep))).toContain("[too deep]");
});

test("a credential is found wherever in a line it stands", () => {
  const credentials = [
    "ab".repeat(64),
    `0x${"CD".repeat(65)}`,
    planted.jwt,
    `access%3D${planted.jwt}`,
    planted.webhookSecret,
    "basic dXNlcjpwYXNz",
    "Bearer  opaque-value",
    "nonce: planted-value",
    'api_key\\" : \\"planted-value',
    "https://user:planted-value@example.com",
  ];
  for (const credential of credentials) {
    for (let before = 0; before <= 130; before++) {
      const line = `${"x ".repeat(before)}${"-".repeat(before)} ${credential} end`;
      expect(redactText(line)).toContain("[redacted]");
      expect(redactText(line)).not.toContain(credential);
    }
  }
});

test("redacting a hostile text takes time in proportion to its length, not to its square", () => {
  const hostile = [
    "eyJ" + "a.".repeat(50_000),
    ...["", ".a", ".a.", ".a "].map((end) => "eyJ".repeat(40_000) + end),
    "/".repeat(100_000),
    "a".repeat(127).concat(" ").repeat(1_000),
  ];
  const startedAt = performance.now();
  hostile.forEach((text) => redactText(text));
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("the text format has time, level, message and fields on one line, with nothing that a terminal obeys", async () => {
  const file = path.join(await mkdtemp(path.join(tmpdir(), "latchkey-log-")), "log");
  const { log, close } = openLog("info", { format: "text", fileDescriptor: openSync(file, "w") });
  log.warn({ port: 3000, path: "/gate", note: "two words\n\u001b[2J\u009b2J" }, "server ready");
  await close();
  expect(await readFile(file, "utf8")).toMatch(
    /^\d\d:\d\d:\d\d WARN {2}server ready port=3000 path=\/gate note="two words\\n\\u001b\[2J\\u009b2J"\n$/,
  );
  await rm(path.dirname(file), { recursive: true });
});

test("lines are JSON unless the output is a terminal or the text format is chosen", () => {
  expect([isTextFormat("text"), isTextFormat("TEXT"), isTextFormat("json")]).toEqual([true, true, false]);
  const script = `import { isTextFormat } from "./app/platform/log/text-line.mjs"; console.log(isTextFormat(null));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  expect(stdout).toBe("false\n");
});

test("a line logged after the output was closed is dropped without an error", async () => {
  const file = path.join(await mkdtemp(path.join(tmpdir(), "latchkey-log-")), "log");
  const { log, close } = openLog("info", { fileDescriptor: openSync(file, "w") });
  log.info("before");
  await close();
  log.info("after");
  const written = await readFile(file, "utf8");
  expect(written).toContain("before");
  expect(written).not.toContain("after");
  await rm(path.dirname(file), { recursive: true });
});

test.each([
  { ending: "an uncaught error", end: 'throw new Error("planted");' },
  { ending: "process.exit", end: "process.exit(1);" },
  { ending: "the closing of the output", end: "void close();" },
  { ending: "the end of all work", end: "" },
])("lines written just before $ending are all in the output, in order", ({ end }) => {
  const script = `
    import { setTimeout as delay } from "node:timers/promises";
    import { openLog } from "./app/platform/log/log.server.ts";
    const { log, close } = openLog("info");
    for (let line = 0; line < 100; line++) log.info({ line }, "early");
    await delay(50);
    for (let line = 100; line < 200; line++) log.info({ line }, "late");
    ${end}`;
  const parameters = ["--import", "tsx", "--input-type=module", "--eval", script];
  const { stdout } = spawnSync(process.execPath, parameters, { encoding: "utf8" });
  const written = stdout.trimEnd().split("\n");
  const lines = written.map((text) => (JSON.parse(text) as { line: number }).line);
  expect(lines).toEqual(Array.from({ length: 200 }, (_, line) => line));
});

test("lines of four processes in one pipe that is full do not mix", () => {
  const script = `
    import { openLog } from "./app/platform/log/log.server.ts";
    const { log } = openLog("info");
    const note = "ö€€€".repeat(100);
    // Less than what waits for a slow reader.
    let rounds = 25;
    const timer = setInterval(() => {
      for (let line = 0; line < 100; line++) log.info({ note }, "line");
      if (--rounds === 0) clearInterval(timer);
    }, 1);`;
  const command = `node --import tsx --input-type=module --eval '${script}'`;
  const together = `${command} & `.repeat(4);
  const { stdout } = spawnSync("sh", ["-c", `(${together} wait) | (sleep 2; cat)`], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(10_000);
  expect(() => lines.forEach((line) => JSON.parse(line) as unknown)).not.toThrow();
});

/** For a shell. `script` has no single quotes. */
function nodeCommand(script: string): string {
  const imports = `
    import { writeFileSync } from "node:fs";
    import { setTimeout as delay } from "node:timers/promises";
    import { openLog } from "./app/platform/log/log.server.ts";`;
  return `node --expose-gc --import tsx --input-type=module --eval '${imports}${script}'`;
}

/**
 * With descriptor 3 a pipe that is read when the shell's `$0` is a file, or after 20 seconds. Not 1: whoever has asked for
 * `process.stdout` has made it non-blocking for everybody.
 */
function intoPipeReadLater(command: string): string {
  const wait = "for i in $(seq 400); do [ -e $0 ] && break; sleep 0.05; done";
  return `mkfifo $0.pipe; (${wait}; cat) <$0.pipe & ${command} 3>$0.pipe >/dev/null; wait`;
}

async function runInShell(command: string) {
  const dir = await mkdtemp(path.join(tmpdir(), "latchkey-log-"));
  const options = { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, timeout: 15_000 } as const;
  const { stdout, stderr, error } = spawnSync("sh", ["-c", command, path.join(dir, "file")], options);
  await rm(dir, { recursive: true });
  expect(error).toBeUndefined();
  const entries = stdout.split("\n").filter(Boolean);
  return { stderr, entries: entries.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test("lines of a turn of many are all in the output when the process is killed in one of the next turns", async () => {
  const script = `
    const { log } = openLog("info");
    for (let line = 0; line < 300; line++) log.info({ line }, "line");
    for (let turn = 0; turn < 3; turn++) {
      await delay(1);
      for (const until = performance.now() + 15; performance.now() < until; );
    }
    process.kill(process.pid, "SIGKILL");`;
  const { entries } = await runInShell(`${nodeCommand(script)} | cat`);
  expect(entries.map(({ line }) => line)).toEqual(Array.from({ length: 300 }, (_, line) => line));
});

test("a reader that does not read stops nothing, what waits for it is bounded, and a line tells how many are missing", async () => {
  const script = `
    const { log } = openLog("info", { fileDescriptor: 3 });
    const note = "x".repeat(1_000);
    const measure = () => (gc(), process.memoryUsage().heapUsed + process.memoryUsage().external);
    const before = measure();
    for (let line = 0; line < 50_000; line++) {
      log.info({ line, note }, "line");
      if (line % 500 === 0) await delay(1);
    }
    console.error(measure() - before);
    writeFileSync(process.argv[1], "");`;
  const { stderr, entries } = await runInShell(intoPipeReadLater(`${nodeCommand(script)} $0`));
  expect(Number(stderr)).toBeLessThan(16 * 1024 * 1024);
  const last = entries.pop();
  expect(entries.length).toBeGreaterThan(3_000);
  expect(entries.map(({ line }) => line)).toEqual(entries.map((_, line) => line));
  expect(last).toMatchObject({ level: "error", msg: "log lines dropped", dropped: 50_000 - entries.length });
});

test("a reader that takes a little now and then does not decide how long a process ends", async () => {
  const script = `
    const { log, close } = openLog("info", { fileDescriptor: 3, endLimitMs: 500 });
    for (let line = 0; line < 20_000; line++) log.info({ line }, "line");
    const from = performance.now();
    await close();
    console.error(performance.now() - from);
    process.exit();`;
  const slowly = "for i in $(seq 40); do dd bs=4096 count=1 >/dev/null 2>&1; sleep 0.1; done";
  const { stderr } = await runInShell(
    `mkfifo $0.pipe; (${slowly}) <$0.pipe & ${nodeCommand(script)} 3>$0.pipe; kill $! 2>&-`,
  );
  expect(Number(stderr)).toBeLessThan(2_000);
});

test.each([
  { ending: "after closing the output", end: "await close(); process.exit();" },
  { ending: "by process.exit", end: "process.exit();" },
  { ending: "by an uncaught error", end: "throw new Error();" },
])("a process whose reader does not read ends all the same $ending", async ({ end }) => {
  const script = `
    const { log, close } = openLog("info", { fileDescriptor: 3, endLimitMs: 500 });
    for (let line = 0; line < 10_000; line++) log.info({ line }, "line");
    ${end}`;
  const { entries } = await runInShell(intoPipeReadLater(`(${nodeCommand(script)}; touch $0)`));
  expect(entries.length).toBeGreaterThan(300);
});
