import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** Names the server that a proxy chose, as a response header. */
export const upstreamHeader = "x-upstream";

/** A plain reverse proxy: each request goes to the next server in turn, without affinity. */
export async function startRoundRobin() {
  let ports: number[] = [];
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const index = count++ % ports.length;
    passOn({ incoming, outgoing, port: ports[index]!, name: String(index) });
  });
  // If a connection closed just as a client reuses it, it would look like a fault of the servers.
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://localhost:${port}`,
    setPorts: (upstream: readonly number[]) => (ports = [...upstream]),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type PassOnOptions = {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  port: number;
  name: string;
};

function passOn({ incoming, outgoing, port, name }: PassOnOptions): void {
  const headers = { ...incoming.headers, "x-forwarded-for": incoming.socket.remoteAddress };
  const { method, url } = incoming;
  const to = { host: "127.0.0.1", port, method, path: url, headers, agent: false } as const;
  const asked = request(to, (answer) => {
    outgoing.writeHead(answer.statusCode!, { ...answer.headers, [upstreamHeader]: name });
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  asked.on("error", () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
  outgoing.on("close", () => asked.destroy());
  incoming.pipe(asked);
}

/**
 * A TCP connection to a server with three faults. It can be cut and restored, like a network or a restarting server. It
 * can be held, so connections stay open but nothing passes. It can drop existing connections silently and pass new
 * ones, like a restarted firewall.
 */
export async function startTcpGate(to: { host: string; port: number }) {
  const open = new Map<Socket, Socket>();
  const lost: Socket[] = [];
  let isCut = false;
  let isHeld = false;
  let awaited: { text: string; act: () => void } | null = null;
  const server = createTcpServer((socket) => {
    if (isCut) return socket.resetAndDestroy();
    const upstream = connect(to);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.set(one, other);
      if (!isHeld) one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => (open.delete(one), other.destroy()));
    }
    socket.on("data", (sent) => {
      if (!awaited || !sent.includes(awaited.text)) return;
      const { act } = awaited;
      awaited = null;
      act();
    });
    if (isHeld) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const closeAll = () => [...open.keys()].forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    /** Acts once a client has sent this text and the server has it. */
    after: (text: string, act: () => void) => void (awaited = { text, act }),
    cut: () => ((isCut = true), closeAll()),
    hold: () => ((isHeld = true), open.forEach((other, one) => one.unpipe(other).pause())),
    lose: () => {
      open.forEach((other, one) => lost.push(one.unpipe(other).pause()));
      open.clear();
    },
    mend: () => {
      if (isHeld) open.forEach((other, one) => one.pipe(other));
      isCut = isHeld = false;
    },
    stop: async () => {
      closeAll();
      for (const socket of lost) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
