import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export type RelayServer = {
  url: string;
  /** Methods of everything the page asked for, in order. */
  asked: string[];
  close: () => Promise<void>;
};

/** What every server of RFC 6455 adds to the key a client sends. */
const handshakeSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const textFrame = 0x1;
const closeFrame = 0x8;

/** A relay that takes everything in and acknowledges it, and at whose other end no wallet ever answers. */
export async function startRelayServer(): Promise<RelayServer> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer();
  server.on("upgrade", ({ headers }, socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    const accept = createHash("sha1")
      .update(`${headers["sec-websocket-key"]}${handshakeSuffix}`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    readFrames({
      socket,
      onText(text) {
        const { id, method } = JSON.parse(text) as { id: number; method?: string };
        if (!method) return;
        asked.push(method);
        socket.write(toFrame(JSON.stringify({ jsonrpc: "2.0", id, result: acknowledge(method) })));
      },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function acknowledge(method: string): unknown {
  if (method === "irn_subscribe") return "0".repeat(64);
  if (method === "irn_batchSubscribe") return ["0".repeat(64)];
  if (method.endsWith("etchMessages")) return { messages: [], hasMore: false };
  return true;
}

/** Text frames of a browser: masked, and whole. */
function readFrames({ socket, onText }: { socket: Duplex; onText: (text: string) => void }): void {
  let buffer: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (let frame = readFrame(buffer); frame; frame = readFrame(buffer)) {
      buffer = frame.rest;
      if (frame.opcode === closeFrame) socket.end();
      if (frame.opcode === textFrame) onText(frame.payload.toString("utf8"));
    }
  });
}

function readFrame(buffer: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | null {
  if (buffer.length < 2) return null;
  const short = buffer[1]! & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskAt = 2 + lengthBytes;
  if (buffer.length < maskAt + 4) return null;
  const length =
    lengthBytes === 0
      ? short
      : lengthBytes === 2
        ? buffer.readUInt16BE(2)
        : Number(buffer.readBigUInt64BE(2));
  const payloadAt = maskAt + 4;
  if (buffer.length < payloadAt + length) return null;
  const payload = Buffer.from(buffer.subarray(payloadAt, payloadAt + length));
  for (let index = 0; index < length; index += 1)
    payload[index] = payload[index]! ^ buffer[maskAt + (index % 4)]!;
  return { opcode: buffer[0]! & 0x0f, payload, rest: buffer.subarray(payloadAt + length) };
}

function toFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new Error("Answers of this relay are short.");
  return Buffer.concat([Buffer.from([0x80 | textFrame, payload.length]), payload]);
}
