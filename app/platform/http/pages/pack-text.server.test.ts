import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { TextAnswer } from "../answer.server";
import type { RequestContext } from "../request-context.server";
import { packAnswer } from "./pack-text.server";

const page = "<p>A lamp, and a lämp.</p>".repeat(100);

async function pack(text: string, acceptEncoding: string | undefined, method = "GET") {
  const headers = { ...(acceptEncoding !== undefined && { "accept-encoding": acceptEncoding }) };
  const own = { "Content-Type": "text/html", Vary: "Accept" };
  const given = new TextAnswer({ status: 404, headers: own, text });
  const packed = await packAnswer(given, { method, headers } as RequestContext);
  if (!(packed instanceof TextAnswer)) throw new Error("It is no longer a whole text.");
  expect(packed.status).toBe(404);
  expect(packed.headers).toMatchObject({ "content-type": "text/html", vary: "Accept, Accept-Encoding" });
  return { coding: packed.headers["content-encoding"], text: packed.text };
}

test("a long text is packed as its client prefers, and is the same when unpacked", async () => {
  const gzip = await pack(page, "gzip, br;q=0.5");
  expect([gzip.coding, gunzipSync(gzip.text).toString()]).toEqual(["gzip", page]);
  const brotli = await pack(page, "gzip, br");
  expect([brotli.coding, brotliDecompressSync(brotli.text).toString()]).toEqual(["br", page]);
});

test.each([
  ["for a client that names no coding", page, undefined, "GET"],
  ["for one that takes none of ours", page, "deflate", "GET"],
  ["when it is short", "Not found.", "gzip, br", "GET"],
  ["where only the headers are asked for", page, "gzip, br", "HEAD"],
])("a text stays as it is %s", async (_why, text, acceptEncoding, method) => {
  expect(await pack(text, acceptEncoding, method)).toEqual({ coding: undefined, text });
});

test("an answer in pieces stays in pieces, and is known to depend on the coding", async () => {
  const streamed = new Response("piece by piece".repeat(100), { headers: { Vary: "Accept" } });
  const headers = { "accept-encoding": "gzip" };
  expect(await packAnswer(streamed, { method: "GET", headers } as unknown as RequestContext)).toBe(streamed);
  expect(Object.fromEntries(streamed.headers)).toEqual({
    "content-type": "text/plain;charset=UTF-8",
    vary: "Accept, Accept-Encoding",
  });
});
