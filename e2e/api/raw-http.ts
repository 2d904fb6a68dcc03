import net from "node:net";

/** `text` is everything received, perhaps several responses. The other fields are of the first. */
export type RawAnswer = { status: number | null; head: string; body: string; text: string };

type SendRawOptions = {
  port: number;
  bytes: string | Buffer;
  write?: (socket: net.Socket) => void;
  limitMs?: number;
};

/**
 * Sends raw bytes and reads until the server closes, the responses are complete, or `limitMs` has passed. `write` may
 * continue until the socket is closed.
 */
export function sendRaw({
  port,
  bytes,
  write,
  limitMs = 15_000,
}: SendRawOptions): Promise<RawAnswer & { closedAfterMs: number }> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = net.connect({ host: "127.0.0.1", port });
    let received = "";
    const timer = setTimeout(() => socket.destroy(), limitMs);
    socket.on("connect", () => {
      socket.write(bytes);
      write?.(socket);
    });
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    // A server that refuses to read on may reset the connection after its response.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(timer);
      const [head = "", body = ""] = received.split("\r\n\r\n", 2);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
      resolve({
        status: status ? Number(status) : null,
        head,
        body,
        text: received,
        closedAfterMs: performance.now() - startedAt,
      });
    });
  });
}
