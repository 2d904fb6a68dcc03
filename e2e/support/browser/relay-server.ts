import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export type RelayServer = {
  url: string;
  /** Methods of the page's requests, in order. */
  asked: string[];
  close: () => Promise<void>;
};

type Message = { topic: string; message: string; tag: number };
type Call = { id: number; method: string; params: Record<string, unknown> };

/** RFC 6455: servers append this to the client's key. */
const handshakeSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const textFrame = 0x1;
const closeFrame = 0x8;

/** WalletConnect's numbers for kinds of messages. */
const tags = { proposal: 1100, proposalAnswer: 1101, settlement: 1102 };

/** A relay: accepts messages on a topic and delivers them to its subscribers, now or later. */
export async function startRelayServer(): Promise<RelayServer> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer();
  const topics = createTopics();
  server.on("upgrade", ({ headers }, socket) => {
    sockets.add(socket);
    socket
      .on("close", () => {
        sockets.delete(socket);
        topics.leave(socket);
      })
      .on("error", () => socket.destroy());
    const accept = createHash("sha1")
      .update(`${headers["sec-websocket-key"]}${handshakeSuffix}`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    readFrames({
      socket,
      onText(text) {
        const { id, method, params = {} } = JSON.parse(text) as Partial<Call> & { id: number };
        // A message without a method is an acknowledgement.
        if (!method) return;
        asked.push(method);
        const result = answer({ topics, socket, call: { id, method, params } });
        socket.write(toFrame(JSON.stringify({ jsonrpc: "2.0", id, result })));
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

/** The subscribers, and messages nobody has received yet. */
function createTopics() {
  const listeners = new Map<string, Map<Duplex, string>>();
  const unheard = new Map<string, Message[]>();

  function deliver(to: Duplex, subscription: string, said: Message): void {
    const params = { id: subscription, data: { ...said, publishedAt: Date.now() } };
    const id = Number.parseInt(randomBytes(6).toString("hex"), 16);
    // After the response to the request that caused this.
    setImmediate(() => {
      if (!to.destroyed)
        to.write(toFrame(JSON.stringify({ jsonrpc: "2.0", id, method: "irn_subscription", params })));
    });
  }

  return {
    listen({ topic, socket }: { topic: string; socket: Duplex }): string {
      const subscription = createHash("sha256").update(topic).digest("hex");
      const here = listeners.get(topic) ?? new Map<Duplex, string>();
      listeners.set(topic, here.set(socket, subscription));
      for (const said of unheard.get(topic) ?? []) deliver(socket, subscription, said);
      unheard.delete(topic);
      return subscription;
    },
    say({ from, said }: { from: Duplex; said: Message }): void {
      const others = [...(listeners.get(said.topic) ?? [])].filter(([socket]) => socket !== from);
      for (const [to, subscription] of others) deliver(to, subscription, said);
      if (others.length === 0) unheard.set(said.topic, [...(unheard.get(said.topic) ?? []), said]);
    },
    leave(socket: Duplex): void {
      for (const here of listeners.values()) here.delete(socket);
    },
  };
}

function answer({
  topics,
  socket,
  call: { method, params },
}: {
  topics: ReturnType<typeof createTopics>;
  socket: Duplex;
  call: Call;
}): unknown {
  const text = (name: string) => String(params[name]);
  const say = (said: Message) => topics.say({ from: socket, said });
  switch (method) {
    case "irn_subscribe":
      return topics.listen({ topic: text("topic"), socket });
    case "irn_batchSubscribe":
      return (params.topics as string[]).map((topic) => topics.listen({ topic, socket }));
    case "irn_fetchMessages":
    case "irn_batchFetchMessages":
      return { messages: [], hasMore: false };
    case "irn_publish":
      say({ topic: text("topic"), message: text("message"), tag: Number(params.tag) });
      return true;
    case "wc_proposeSession":
      topics.listen({ topic: text("pairingTopic"), socket });
      say({ topic: text("pairingTopic"), message: text("sessionProposal"), tag: tags.proposal });
      return true;
    case "wc_approveSession":
      topics.listen({ topic: text("sessionTopic"), socket });
      say({
        topic: text("pairingTopic"),
        message: text("sessionProposalResponse"),
        tag: tags.proposalAnswer,
      });
      say({ topic: text("sessionTopic"), message: text("sessionSettlementRequest"), tag: tags.settlement });
      return true;
    default:
      return true;
  }
}
/** Complete, masked text frames of a browser. */
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
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x80 | textFrame;
  if (head.length === 2) head[1] = payload.length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}
