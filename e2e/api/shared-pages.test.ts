import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const addresses = ["/", "/gate", "/chat", "/docs", "/problems", "/problems/not-found"];
let contentDir: string;
let gate: Gate;

beforeAll(async () => {
  contentDir = await mkdtemp(path.join(tmpdir(), "latchkey-shared-"));
  gate = await openGate({ env: { ...limitsOff, CONTENT_DIR: contentDir } });
});
afterAll(async () => {
  await gate.close();
  await rm(contentDir, { recursive: true, force: true });
});

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer };

/** As it is on the wire: nothing is unpacked, and any Host can be named. */
function ask(address: string, given: OutgoingHttpHeaders = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = gate.server;
    const headers = { Host: `localhost:${port}`, ...given };
    const sent = request({ host: "127.0.0.1", port, path: address, headers, method, agent: false });
    sent.once("error", reject).once("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .once("end", () => {
          const { statusCode: status, headers: received } = incoming;
          resolve({ status, headers: received, bytes: Buffer.concat(chunks) });
        });
    });
    sent.end();
  });
}

/** Of every request its own. */
function withoutOwn({ date: _date, "x-request-id": _id, ...headers }: IncomingHttpHeaders) {
  return headers;
}

const listInlineScripts = (html: string) =>
  [...html.matchAll(/<script\b(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(([, text = ""]) => text);

test.each(addresses)("%s has the same bytes in three codings, each with its own ETag", async (address) => {
  const plain = await ask(address);
  const gzip = await ask(address, { "Accept-Encoding": "gzip" });
  const br = await ask(address, { "Accept-Encoding": "gzip, br" });
  expect([gzip.headers["content-encoding"], br.headers["content-encoding"]]).toEqual(["gzip", "br"]);
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
  expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
  expect(new Set([plain, gzip, br].map(({ headers }) => headers.etag)).size).toBe(3);
  for (const { headers, bytes } of [plain, gzip, br]) {
    expect(headers.vary).toBe("Accept-Encoding");
    expect(headers["cache-control"]).toBe(address === "/gate" ? "no-store" : "no-cache");
    expect(headers["content-length"]).toBe(String(bytes.length));
  }
});

test.each(addresses)(
  "%s is answered 304 where the ETag matches, and HEAD has the headers of GET",
  async (address) => {
    const coding = { "Accept-Encoding": "br" };
    const { headers } = await ask(address, coding);
    const again = await ask(address, { ...coding, "If-None-Match": headers.etag });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect(again.headers).toMatchObject({ etag: headers.etag, vary: headers.vary });
    expect(again.headers["content-security-policy"]).toBe(headers["content-security-policy"]);
    const head = await ask(address, coding, "HEAD");
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(withoutOwn(head.headers)).toEqual(withoutOwn(headers));
    const headAgain = await ask(address, { ...coding, "If-None-Match": headers.etag }, "HEAD");
    expect(withoutOwn(headAgain.headers)).toEqual(withoutOwn(again.headers));
  },
);

test.each(addresses)(
  "%s equals a fresh rendering, and its policy allows its own scripts alone",
  async (address) => {
    const kept = await ask(address);
    const html = kept.bytes.toString("utf8");
    // With a query nothing is kept; a crawler gets the finished document, as it is kept.
    const fresh = await ask(`${address}?fresh`, { "User-Agent": "Googlebot" });
    expect(fresh.headers).not.toHaveProperty("etag");
    expect(html).toBe(fresh.bytes.toString("utf8").replace(/ nonce="[^"]*"/g, ""));
    const scripts = listInlineScripts(html);
    expect(scripts.length).toBeGreaterThan(0);
    const hashes = scripts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    const policy = kept.headers["content-security-policy"] as string;
    expect(policy).toContain(`script-src 'self' ${hashes.join(" ")};`);
    expect(policy).not.toMatch(/nonce|unsafe/);
    expect(html).not.toMatch(/<style|\sstyle="|\son[a-z]+="/);
    const nonce = /'nonce-([^']+)'/g;
    expect(policy.replace(/'sha256-[^']+'( (?='))?/g, "")).toBe(
      (fresh.headers["content-security-policy"] as string).replace(nonce, ""),
    );
  },
);

test.each([
  ["Host", { Host: "attacker.example" }],
  ["X-Forwarded-Host", { "X-Forwarded-Host": "attacker.example", "X-Forwarded-Proto": "https" }],
  ["Forwarded", { Forwarded: "host=attacker.example;proto=https" }],
  ["X-Original-URL", { "X-Original-URL": "/docs", "X-Rewrite-URL": "/docs" }],
])("a hostile %s header does not change a shared page", async (_, headers) => {
  for (const address of addresses) {
    const first = await ask(address);
    const hostile = await ask(address, headers);
    expect(hostile.bytes.equals(first.bytes), address).toBe(true);
    expect(hostile.bytes.toString("utf8")).not.toContain("attacker.example");
  }
});

test("a request with a session or wallet cookie gets its own page, which is not cached", async () => {
  const common = await ask("/gate");
  const holder = await gate.mintKey();
  const token = (await gate.signIn(holder)).body.accessToken as string;
  const wallet = encodeURIComponent(JSON.stringify(["io.wallet", "My wallet", holder.account.address]));
  const cookies = [`access_token=${token}`, `latchkey_wallet=${wallet}`, `other=1; access_token=${token}`];
  for (const Cookie of cookies) {
    const own = await ask("/gate", { Cookie, "If-None-Match": common.headers.etag });
    expect([own.status, own.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(own.headers).not.toHaveProperty("etag");
    expect(own.headers["content-security-policy"]).toContain("'nonce-");
    expect(own.bytes.toString("utf8").toLowerCase()).toContain(holder.account.address.toLowerCase());
    expect((await ask("/gate")).bytes.equals(common.bytes)).toBe(true);
  }
  expect((await ask("/gate", { Cookie: "theme=dark" })).headers.etag).toBe(common.headers.etag);
});

test.each([
  "/GATE",
  "/gate/",
  "/problems/",
  "/problems/%6eot-found",
  "/problems/NOT-FOUND",
  "/problems/nope",
  "/nope",
])("another spelling of an address is rendered for each request: %s", async (address) => {
  const { headers } = await ask(address);
  expect(headers).not.toHaveProperty("etag");
  expect(headers["content-security-policy"]).toContain("'nonce-");
});

test("a change of the content folder is shown within seconds", async () => {
  const before = await ask("/");
  await writeFile(path.join(contentDir, "welcome.md"), "# Welcome");
  await expect
    .poll(async () => (await ask("/")).headers.etag, { timeout: 5000 })
    .not.toBe(before.headers.etag);
});

test("every cached answer has its own request id and a line in the log", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask("/chat")));
  const ids = answers.map(({ headers }) => headers["x-request-id"] as string);
  expect(new Set(ids).size).toBe(20);
  const listLines = () =>
    gate.server
      .output()
      .split("\n")
      .filter((line) => line.includes('"route":"page"') && ids.some((id) => line.includes(id)));
  await expect.poll(() => listLines().length, { timeout: 5000 }).toBe(20);
});
