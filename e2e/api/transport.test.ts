import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startServer } from "~e2e/support/running-server";
import { limitsOff } from "~e2e/support/limits";
import { chat, localProvider, openChat, parseStream, readRest, readUntil } from "./chat-fixture";
import { startChatServer, startProvider, textOf } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, AI_OFFLINE_WORD_MS: "0" } });
});
afterAll(() => gate.close());

/** The response as sent, without decompression. */
async function get(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ headers: IncomingMessage["headers"]; bytes: Buffer }> {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers, method, agent: false })
      .once("response", resolve)
      .once("error", reject)
      .end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return { headers: incoming.headers, bytes: Buffer.concat(chunks) };
}

const pages = ["/", "/gate", "/docs", "/not-there", "/problems/not-found"];
const resources = ["/api/settings", "/api/nonce", "/api/not-there", "/healthz", "/sandbox"];
const addresses = [...pages, ...resources];

test("every page and API answer behind https has Strict-Transport-Security", async () => {
  const server = await startServer({
    env: {
      ...limitsOff,
      AI_OFFLINE_WORD_MS: "0",
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      NEXT_PUBLIC_DOMAIN: "gate.example",
      PUBLIC_ORIGIN: "https://gate.example",
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const expected = "max-age=31536000; includeSubDomains";
  for (const path of addresses) {
    const { headers } = await get(server.port, path);
    expect(headers["strict-transport-security"], path).toBe(expected);
  }
  const stream = await chat({ port: server.port });
  expect([stream.status, stream.headers["strict-transport-security"]]).toEqual([200, expected]);
});

test("answers over plain http on this machine have no Strict-Transport-Security", async () => {
  expect(gate.origin).toMatch(/^http:\/\/localhost:/);
  for (const path of addresses) {
    const { headers } = await get(gate.server.port, path);
    expect(headers, path).not.toHaveProperty("strict-transport-security");
  }
  expect((await chat({ port: gate.server.port })).headers).not.toHaveProperty("strict-transport-security");
});

test("pages are compressed for clients that accept it, and plain for all others", async () => {
  const { port } = gate.server;
  const ends = "</html>";
  const marks = { "/": ends, "/gate": ends, "/gate?lookup=1": ends, "/gate.data": '"routes/gate"' };
  for (const [path, mark] of Object.entries(marks)) {
    const packed = await get(port, path, { "Accept-Encoding": "gzip" });
    expect(packed.headers["content-encoding"], path).toBe("gzip");
    expect(packed.headers.vary).toContain("Accept-Encoding");
    const text = gunzipSync(packed.bytes).toString("utf8");
    expect(text).toContain(mark);
    expect(packed.bytes.length).toBeLessThan(text.length);

    const plain = await get(port, path);
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(plain.bytes.toString("utf8")).toContain(mark);
  }
});

test("files of the build are sent as the build compressed them", async () => {
  const { port } = gate.server;
  const text = (await get(port, "/gate")).bytes.toString("utf8");
  const file = /\/build\/entry\.client-[^"]+\.js/.exec(text)![0];
  const plain = await get(port, file);
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const coding of Object.keys(unpack)) {
    const packed = await get(port, file, { "Accept-Encoding": coding });
    const { vary, etag, "content-type": type } = packed.headers;
    expect([packed.headers["content-encoding"], vary]).toEqual([coding, "Accept-Encoding"]);
    expect(type?.toLowerCase()).toBe(plain.headers["content-type"]?.toLowerCase());
    expect(etag).not.toBe(plain.headers.etag);
    expect(packed.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(unpack[coding as keyof typeof unpack](packed.bytes).equals(plain.bytes)).toBe(true);
  }
  expect(plain.headers).toMatchObject({ vary: "Accept-Encoding" });
  expect(plain.headers).not.toHaveProperty("content-encoding");
});

test("a page that is not there is compressed once, whatever its name, and depends on the coding for HEAD, too", async () => {
  const { port } = gate.server;
  const accepted = { "Accept-Encoding": "br" };
  for (const path of ["/not-there", "/not.there"]) {
    const packed = await get(port, path, { ...accepted, Accept: "text/html" });
    expect([packed.headers["content-encoding"], packed.headers.vary], path).toEqual([
      "br",
      "Accept-Encoding",
    ]);
    expect(brotliDecompressSync(packed.bytes).toString("utf8")).toContain("</html>");
    const head = await get(port, path, accepted, "HEAD");
    expect([head.headers["content-encoding"], head.headers.vary]).toEqual([undefined, "Accept-Encoding"]);
  }
});

test("a stream is never compressed, and every event arrives when it is sent", async () => {
  const words = ["first", "second", "third"];
  const said = new Set<string>();
  let sayNext = () => {};
  const provider = await startProvider(async (call) => {
    for (const word of words) {
      said.add(word);
      await call.text(word);
      // The next word waits until this one has arrived.
      await new Promise<void>((resolve) => (sayNext = resolve));
    }
    await call.finish();
  });
  const { server } = await startChatServer({ gate, env: localProvider(provider) });
  const { incoming } = await openChat({
    port: server.port,
    headers: { "Accept-Encoding": "gzip, deflate, br" },
  });
  expect(incoming.headers).not.toHaveProperty("content-encoding");
  expect(incoming.headers).not.toHaveProperty("content-length");
  let read = "";
  for (const [index, word] of words.entries()) {
    read += await readUntil(incoming, word);
    expect([...said]).toEqual(words.slice(0, index + 1));
    sayNext();
  }
  expect(textOf(parseStream(read + (await readRest(incoming))))).toBe("firstsecondthird");
});
