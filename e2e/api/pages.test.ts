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
  contentDir = await mkdtemp(path.join(tmpdir(), "latchkey-pages-"));
  gate = await openGate({ env: { ...limitsOff, CONTENT_DIR: contentDir } });
});
afterAll(async () => {
  await gate.close();
  await rm(contentDir, { recursive: true, force: true });
});

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer };

/** The response as sent, without decompression. Any Host can be named. */
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

/** A page's text without the parts that differ by request. */
function textOf({ bytes }: Answer): string {
  return bytes.toString("utf8").replace(/ nonce="[^"]*"/g, "");
}

test.each(addresses)("%s is the same in three codings, and asked for again each time", async (address) => {
  const plain = await ask(address);
  const gzip = await ask(address, { "Accept-Encoding": "gzip" });
  const br = await ask(address, { "Accept-Encoding": "gzip, br" });
  expect([gzip.headers["content-encoding"], br.headers["content-encoding"]]).toEqual(["gzip", "br"]);
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(textOf({ ...gzip, bytes: gunzipSync(gzip.bytes) })).toBe(textOf(plain));
  expect(textOf({ ...br, bytes: brotliDecompressSync(br.bytes) })).toBe(textOf(plain));
  for (const { headers } of [plain, gzip, br]) {
    expect(headers.vary).toBe("Accept-Encoding");
    expect(headers["cache-control"]).toBe(address === "/gate" ? "no-store" : "no-cache");
  }
});

test.each(addresses)(
  "the policy of %s allows its own scripts alone, and HEAD has the headers of GET",
  async (address) => {
    const { headers, bytes } = await ask(address);
    const policy = headers["content-security-policy"] as string;
    const [, nonce = ""] = /script-src 'self' 'nonce-([^']{20,})';/.exec(policy) ?? [];
    const html = bytes.toString("utf8");
    const scripts = [...html.matchAll(/<script\b(?![^>]*\ssrc=)([^>]*)>/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes] of scripts) expect(attributes).toContain(`nonce="${nonce}"`);
    expect(policy).not.toContain("unsafe");
    expect(html).not.toMatch(/<style|\sstyle="|\son[a-z]+="/);
    const head = await ask(address, {}, "HEAD");
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    const comparable = ({
      date: _date,
      "x-request-id": _id,
      "transfer-encoding": _encoding,
      ...rest
    }: IncomingHttpHeaders) => ({
      ...rest,
      "content-security-policy": (rest["content-security-policy"] as string).replace(
        /'nonce-[^']*'/g,
        "nonce",
      ),
    });
    expect(comparable(head.headers)).toEqual(comparable(headers));
  },
);

test.each([
  ["Host", { Host: "attacker.example" }],
  ["X-Forwarded-Host", { "X-Forwarded-Host": "attacker.example", "X-Forwarded-Proto": "https" }],
  ["Forwarded", { Forwarded: "host=attacker.example;proto=https" }],
  ["X-Original-URL", { "X-Original-URL": "/docs", "X-Rewrite-URL": "/docs" }],
])("a hostile %s header does not change a page", async (_, headers) => {
  for (const address of addresses) {
    const first = await ask(address);
    const hostile = await ask(address, headers);
    expect(textOf(hostile), address).toBe(textOf(first));
    expect(hostile.bytes.toString("utf8")).not.toContain("attacker.example");
  }
});

test("a request with a session or wallet cookie gets its own page", async () => {
  const common = textOf(await ask("/gate"));
  const holder = await gate.mintKey();
  const token = (await gate.signIn(holder)).body.accessToken as string;
  const wallet = encodeURIComponent(JSON.stringify(["io.wallet", "My wallet", holder.account.address]));
  const cookies = [`access_token=${token}`, `latchkey_wallet=${wallet}`, `other=1; access_token=${token}`];
  for (const Cookie of cookies) {
    const own = await ask("/gate", { Cookie });
    expect([own.status, own.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(textOf(own).toLowerCase()).toContain(holder.account.address.toLowerCase());
    expect(textOf(await ask("/gate"))).toBe(common);
  }
});

test("a change of the content folder is shown within seconds", async () => {
  const before = textOf(await ask("/"));
  await writeFile(path.join(contentDir, "welcome.md"), "# Welcome");
  await expect.poll(async () => textOf(await ask("/")), { timeout: 5000 }).not.toBe(before);
});

test("every page has its own request id and a line in the log", async () => {
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
