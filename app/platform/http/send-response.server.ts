import type { ServerResponse } from "node:http";

/** Bodies up to this size go out in one write with their headers. */
const maxWholeBytes = 64 * 1024;

/** The body waits for a slow reader, and is cancelled when the reader leaves. */
export async function sendResponse(made: Response, to: ServerResponse): Promise<void> {
  const length = made.headers.get("content-length");
  const isWhole = made.body !== null && length !== null && Number(length) <= maxWholeBytes;
  // Read first: if that fails, the error's response must not carry these headers.
  const whole = isWhole ? Buffer.from(await made.arrayBuffer()) : null;
  to.statusCode = made.status;
  for (const [name, value] of made.headers) {
    if (name === "set-cookie") to.appendHeader(name, value);
    else to.setHeader(name, value);
  }
  if (whole) return void to.end(whole);
  if (!made.body) return void to.end();
  to.flushHeaders();
  await sendStream(made.body, to);
}

/** `Readable.fromWeb` and `pipeline` do the same at twice the cost for each piece. */
async function sendStream(body: ReadableStream<Uint8Array>, to: ServerResponse): Promise<void> {
  const reader = body.getReader();
  let goOn = () => {};
  const isClosed = () => to.destroyed || to.closed;
  function leave(): void {
    goOn();
    reader.cancel().catch(() => undefined);
  }
  to.on("drain", () => goOn()).once("close", leave);
  if (isClosed()) leave();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!to.write(value) && !isClosed()) await new Promise<void>((resolve) => (goOn = resolve));
    }
    to.off("close", leave).end();
  } catch (error) {
    if (!isClosed()) throw error;
  }
}
