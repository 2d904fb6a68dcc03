import {
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { pipeline } from "node:stream/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import { serveMedia } from "./media.server";

const bytes = Buffer.from(Array.from({ length: 200_000 }, (_unused, index) => (index * 7) % 251));
const modified = "Tue, 14 Nov 2023 22:13:20 GMT";

let contentDir: string;
let server: Server;
let port: number;
let lastFailure: unknown;
let responses: ServerResponse[];

beforeEach(async () => {
  contentDir = await mkdtemp(path.join(tmpdir(), "latchkey-media-"));
  await put("song.mp3", bytes);
  await utimes(path.join(contentDir, "song.mp3"), new Date(modified), new Date(modified));
  lastFailure = undefined;
  responses = [];
  server = createServer((request, response) => {
    responses.push(response);
    const [tokenId = "", ...segments] = decodeURIComponent(request.url ?? "")
      .slice(1)
      .split("/");
    const header = (name: string) => request.headers[name]?.toString() ?? null;
    serveMedia({
      contentDir,
      tokenId,
      file: segments.join("/"),
      method: request.method ?? "",
      range: header("range"),
      ifRange: header("if-range"),
      ifNoneMatch: header("if-none-match"),
      ifModifiedSince: header("if-modified-since"),
      maxAgeSeconds: 120,
    })
      .then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (!answer.body) return response.end();
        return pipeline(Readable.fromWeb(answer.body as NodeReadableStream), response);
      })
      .catch((error: unknown) => {
        lastFailure = error;
        if (!response.headersSent) response.writeHead(error instanceof Refusal ? error.status : 500).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(contentDir, { recursive: true, force: true });
});

async function put(file: string, data: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(path.join(contentDir, file)), { recursive: true });
  await writeFile(path.join(contentDir, file), data);
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

function ask(target: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: "127.0.0.1", port, path: target, method, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** How many descriptors of this process point into the content folder. */
async function openDescriptors(): Promise<number> {
  const names = await readdir("/proc/self/fd");
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  return targets.filter((target) => target.startsWith(contentDir)).length;
}

async function expectNoOpenDescriptors(): Promise<void> {
  await vi.waitFor(async () => expect(await openDescriptors()).toBe(0), { timeout: 5000 });
}

/** Until every reader's connection is full and the server has stopped reading from disk for them. */
async function waitUntilNothingFlows(): Promise<void> {
  let before = -1;
  await vi.waitFor(
    () => {
      const sent = responses.reduce((sum, response) => sum + (response.socket?.bytesWritten ?? 0), 0);
      const isSettled = sent === before && responses.every((response) => response.writableNeedDrain);
      before = sent;
      expect(isSettled).toBe(true);
    },
    { interval: 100, timeout: 10_000 },
  );
}

test("the whole file is sent with the headers that players and caches need", async () => {
  const { status, headers, body } = await ask("/1/song.mp3");
  expect(status).toBe(200);
  expect(body.equals(bytes)).toBe(true);
  expect(headers).toMatchObject({
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=120",
    "content-disposition": "inline",
    "content-length": "200000",
    "content-type": "audio/mpeg",
    "last-modified": modified,
    "x-content-type-options": "nosniff",
  });
  expect(headers.etag).toMatch(/^"[0-9a-f]+-[0-9a-f]+"$/);
  expect(headers).not.toHaveProperty("content-range");
  await expectNoOpenDescriptors();
});

test("HEAD describes the whole file and sends none of it, with a range too", async () => {
  for (const headers of [{ range: "bytes=0-9" }, { accept: "*/*" }] as Record<string, string>[]) {
    const answer = await ask("/1/song.mp3", headers, "HEAD");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-length"]).toBe("200000");
    expect(answer.body).toHaveLength(0);
  }
  await expectNoOpenDescriptors();
});

test.each([
  ["bytes=0-0", 0, 0],
  ["bytes=0-99999", 0, 99_999],
  ["bytes=65535-65536", 65_535, 65_536],
  ["bytes=199999-", 199_999, 199_999],
  ["bytes=100-", 100, 199_999],
  ["bytes=-1", 199_999, 199_999],
  ["bytes=-300000", 0, 199_999],
  ["bytes=199990-999999", 199_990, 199_999],
])("the range %s is sent as 206 with those bytes alone", async (range, startByte, endByte) => {
  const { status, headers, body } = await ask("/1/song.mp3", { range });
  expect(status).toBe(206);
  expect(headers["content-range"]).toBe(`bytes ${startByte}-${endByte}/200000`);
  expect(headers["content-length"]).toBe(String(endByte - startByte + 1));
  expect(body.equals(bytes.subarray(startByte, endByte + 1))).toBe(true);
  await expectNoOpenDescriptors();
});

test.each(["bytes=200000-", "bytes=-0"])("the range %s is refused with 416", async (range) => {
  const { status, headers, body } = await ask("/1/song.mp3", { range });
  expect(status).toBe(416);
  expect(headers["content-range"]).toBe("bytes */200000");
  expect(headers["x-problem"]).toBe("range-not-satisfiable");
  expect(headers["content-length"]).toBe("0");
  expect(body).toHaveLength(0);
  await expectNoOpenDescriptors();
});

test.each(["bytes=0-1,5-6", "bytes=9-1", "items=0-1", "nonsense"])(
  "the range %s is answered with the whole file",
  async (range) => {
    const { status, headers } = await ask("/1/song.mp3", { range });
    expect(status).toBe(200);
    expect(headers["content-length"]).toBe("200000");
  },
);

test("If-Range allows a range for the same version only, and never by a weak tag", async () => {
  const etag = (await ask("/1/song.mp3")).headers.etag ?? "";
  const statusFor = async (ifRange: string) =>
    (await ask("/1/song.mp3", { range: "bytes=0-9", "if-range": ifRange })).status;
  expect(await statusFor(etag)).toBe(206);
  expect(await statusFor(`W/${etag}`)).toBe(200);
  expect(await statusFor('"other"')).toBe(200);
  expect(await statusFor(modified)).toBe(206);
  expect(await statusFor("Tue, 14 Nov 2023 22:13:21 GMT")).toBe(200);
  expect(await statusFor("2023-11-14")).toBe(200);
});

test("an outdated If-Range with an impossible range gets the whole file, not a 416", async () => {
  const answer = await ask("/1/song.mp3", { range: "bytes=900000-", "if-range": '"old"' });
  expect(answer.status).toBe(200);
});

test("a cached copy that is still current is answered with 304", async () => {
  const etag = (await ask("/1/song.mp3")).headers.etag ?? "";
  const cases: [Record<string, string>, number][] = [
    [{ "if-none-match": etag }, 304],
    [{ "if-none-match": `W/${etag}` }, 304],
    [{ "if-none-match": `"x", ${etag}` }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"x"' }, 200],
    [{ "if-none-match": '"x"', "if-modified-since": modified }, 200],
    [{ "if-none-match": etag, range: "bytes=0-9" }, 304],
    [{ "if-modified-since": modified }, 304],
    [{ "if-modified-since": "Tue, 14 Nov 2023 22:13:19 GMT" }, 200],
    [{ "if-modified-since": "Tue, 14 Nov 2023 22:13:21 GMT" }, 304],
    [{ "if-modified-since": "yesterday" }, 200],
  ];
  for (const [headers, status] of cases) {
    const answer = await ask("/1/song.mp3", headers);
    expect(answer.status, JSON.stringify(headers)).toBe(status);
    if (status === 304) {
      expect(answer.body).toHaveLength(0);
      expect(answer.headers).toMatchObject({ etag, "cache-control": "private, max-age=120" });
    }
  }
  await expectNoOpenDescriptors();
});

test("a changed file gets another tag, an empty one is sent as empty", async () => {
  const before = (await ask("/1/song.mp3")).headers.etag;
  await put("song.mp3", Buffer.alloc(200_000));
  expect((await ask("/1/song.mp3")).headers.etag).not.toBe(before);
  await put("song.mp3", "");
  const empty = await ask("/1/song.mp3");
  expect([empty.status, empty.headers["content-length"], empty.body.length]).toEqual([200, "0", 0]);
  expect((await ask("/1/song.mp3", { range: "bytes=0-" })).status).toBe(416);
  await expectNoOpenDescriptors();
});

test("each kind of file has its type, and an SVG opened by itself can do nothing", async () => {
  const types = {
    "a.wav": "audio/wav",
    "b.M4A": "audio/mp4",
    "c.png": "image/png",
    "d.svg": "image/svg+xml",
  };
  for (const [file, type] of Object.entries(types)) {
    await put(file, "x");
    const { headers } = await ask(`/1/${file}`);
    expect(headers["content-type"]).toBe(type);
    expect(headers["content-security-policy"]).toBe(
      type === "image/svg+xml" ? "default-src 'none'; style-src 'unsafe-inline'; sandbox" : undefined,
    );
  }
});

test("a key's own file precedes the common one, for that key only", async () => {
  await put("tokens/2/song.mp3", "two");
  expect((await ask("/2/song.mp3")).body.toString()).toBe("two");
  expect((await ask("/1/song.mp3")).body).toHaveLength(200_000);
});

test("a link to anything but media of this folder is answered with 404", async () => {
  await put("welcome.md", "gated");
  await put("tokens/2/own.mp3", "two");
  await put("folder.mp3/inside.txt", "x");
  await symlink("/etc/hostname", path.join(contentDir, "out.mp3"));
  await mkdir(path.join(contentDir, "tokens/3"));
  await symlink("/etc/hostname", path.join(contentDir, "tokens/3/song.mp3"));
  const targets = [
    ...[
      "/1/welcome.md",
      "/1/none.mp3",
      "/1/own.mp3",
      "/1/tokens/2/own.mp3",
      "/1/../song.mp3",
      "/01/song.mp3",
    ],
    ...["/1/%2e%2e/song.mp3", "/1/..%5csong.mp3", "/x/song.mp3", "//song.mp3", "/1/out.mp3", "/1/folder.mp3"],
    ...["/1/song.mp3%00.png", "/1/song.mp3/", "/3/song.mp3", "/1/"],
  ];
  for (const target of targets) {
    expect((await ask(target)).status, target).toBe(404);
    expect(lastFailure, target).toBeInstanceOf(Refusal);
  }
  await expectNoOpenDescriptors();
});

test("a disk error is not reported as a missing file", async () => {
  const tooLongForAnyDisk = `${"日".repeat(190)}.mp3`;
  expect((await ask(`/1/${encodeURIComponent(tooLongForAnyDisk)}`)).status).toBe(500);
  expect(lastFailure).not.toBeInstanceOf(Refusal);
});

test("readers that leave in mid-file leave no file open, without help of the garbage collector", async () => {
  await put("long.mp3", Buffer.alloc(32 * 1024 * 1024));
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.message);
  process.on("warning", note);
  try {
    const readers = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          new Promise<IncomingMessage>((resolve, reject) => {
            httpRequest({ host: "127.0.0.1", port, path: "/1/long.mp3" }, (incoming) => {
              incoming.on("error", () => undefined);
              incoming.pause();
              resolve(incoming);
            })
              .on("error", reject)
              .end();
          }),
      ),
    );
    await waitUntilNothingFlows();
    expect(await openDescriptors()).toBe(20);
    for (const reader of readers) reader.destroy();
    await expectNoOpenDescriptors();
    expect(warnings.filter((warning) => warning.includes("FileHandle"))).toEqual([]);
  } finally {
    process.off("warning", note);
  }
});

const plainRequest = {
  tokenId: "1",
  file: "song.mp3",
  method: "GET",
  range: null,
  ifRange: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  maxAgeSeconds: 120,
};

test("a cancelled read closes the file once, before, during and after reading", async () => {
  const unread = await serveMedia({ ...plainRequest, contentDir });
  expect(await openDescriptors()).toBe(1);
  await unread.body?.cancel();
  expect(await openDescriptors()).toBe(0);

  const begun = await serveMedia({ ...plainRequest, contentDir });
  const reader = begun.body?.getReader();
  await reader?.read();
  const pending = reader?.read();
  await reader?.cancel();
  await pending;
  expect(await openDescriptors()).toBe(0);

  const whole = await serveMedia({ ...plainRequest, contentDir });
  expect((await whole.arrayBuffer()).byteLength).toBe(200_000);
  expect(await openDescriptors()).toBe(0);
});

test("no byte is read before it is asked for", async () => {
  await put("long.mp3", Buffer.alloc(8 * 1024 * 1024));
  const answer = await serveMedia({ ...plainRequest, contentDir, file: "long.mp3" });
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  expect(first?.value?.byteLength).toBe(64 * 1024);
  await truncate(path.join(contentDir, "long.mp3"), 64 * 1024);
  await expect(reader?.read()).rejects.toThrow("shorter");
  expect(await openDescriptors()).toBe(0);
});

test("a file replaced in mid-read is sent to its end as it was", async () => {
  const answer = await serveMedia({ ...plainRequest, contentDir });
  const reader = answer.body?.getReader();
  const chunks = [(await reader?.read())?.value ?? new Uint8Array()];
  await put("new.mp3", "short");
  await rename(path.join(contentDir, "new.mp3"), path.join(contentDir, "song.mp3"));
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) chunks.push(part.value);
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
});

test("a file cut short in mid-read breaks the connection, since its announced length would be wrong", async () => {
  const size = 32 * 1024 * 1024;
  await put("long.mp3", Buffer.alloc(size));
  const received = await new Promise<{ error: Error; count: number }>((resolve, reject) => {
    const outgoing = httpRequest({ host: "127.0.0.1", port, path: "/1/long.mp3" }, (incoming) => {
      let count = 0;
      incoming.once("data", () => void truncate(path.join(contentDir, "long.mp3"), 1024));
      incoming.on("data", (chunk: Buffer) => (count += chunk.length));
      incoming.on("error", (error) => resolve({ error, count }));
      incoming.on("end", () => reject(new Error("ended as if whole")));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
  expect(received.count).toBeLessThan(size);
  expect(received.error.message).toContain("aborted");
  await expectNoOpenDescriptors();
});

test("a file that grows in mid-read is sent with its announced length", async () => {
  const answer = await serveMedia({ ...plainRequest, contentDir });
  await writeFile(path.join(contentDir, "song.mp3"), "more", { flag: "a" });
  expect((await answer.arrayBuffer()).byteLength).toBe(200_000);
});
