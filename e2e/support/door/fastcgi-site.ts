import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";

export type FastcgiSite = Awaited<ReturnType<typeof startFastcgiSite>>;

const headBytes = 8;
const types = { end: 3, params: 4, stdout: 6 };

/** PHP as a proxy sees it: answers each request with its parameters, as JSON. */
export async function startFastcgiSite() {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    let params = Buffer.alloc(0);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let record = readRecord(received); record !== null; record = readRecord(received)) {
        received = received.subarray(record.bytes);
        if (record.type !== types.params) continue;
        params = Buffer.concat([params, record.content]);
        // An empty record ends the parameters. The body doesn't matter here.
        if (record.content.length === 0) socket.end(writeAnswer(readParams(params)));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function readRecord(received: Buffer) {
  if (received.length < headBytes) return null;
  const contentBytes = received.readUInt16BE(4);
  const bytes = headBytes + contentBytes + received[6]!;
  if (received.length < bytes) return null;
  return { type: received[1]!, bytes, content: received.subarray(headBytes, headBytes + contentBytes) };
}

function writeRecord(type: number, content: Buffer): Buffer {
  const head = Buffer.from([1, type, 0, 1, 0, 0, 0, 0]);
  head.writeUInt16BE(content.length, 4);
  return Buffer.concat([head, content]);
}

function writeAnswer(params: Readonly<Record<string, string>>): Buffer {
  const text = `Content-Type: application/json\r\n\r\n${JSON.stringify(params)}`;
  return Buffer.concat([
    writeRecord(types.stdout, Buffer.from(text)),
    writeRecord(types.stdout, Buffer.alloc(0)),
    writeRecord(types.end, Buffer.alloc(8)),
  ]);
}

/** The lengths of a name and its value come first, in one byte or four each. */
function readParams(content: Buffer): Record<string, string> {
  let at = 0;
  const readLength = () => {
    const isLong = content[at]! > 127;
    const length = isLong ? content.readUInt32BE(at) & 0x7fffffff : content[at]!;
    at += isLong ? 4 : 1;
    return length;
  };
  const readText = (length: number) => content.toString("latin1", at, (at += length));
  const params: Record<string, string> = {};
  while (at < content.length) {
    const [nameLength, valueLength] = [readLength(), readLength()];
    params[readText(nameLength)] = readText(valueLength);
  }
  return params;
}
