import { Agent, createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "~/platform/http/connection/http-server.server";
import { answerParent } from "../worker-process";

export type ProxyOrder = { order: "listen" } | { order: "serve"; ports: number[] } | { order: "count" };
export type ProxyAnswer = { port: number } | { answered: number[] };

const agent = new Agent({ keepAlive: true });
let ports: number[] = [];
let answered: number[] = [];
let count = 0;

answerParent(obey);

/** A plain reverse proxy: each request goes to the next server in turn, on connections that are kept. */
async function obey(order: ProxyOrder): Promise<ProxyAnswer> {
  if (order.order === "listen") {
    const server = createServer((incoming, outgoing) => passOn(incoming, outgoing, count++ % ports.length));
    return { port: await listen(server, "127.0.0.1", 0) };
  }
  if (order.order === "serve") {
    ports = order.ports;
    answered = ports.map(() => 0);
    count = 0;
  }
  return { answered };
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, index: number): void {
  const { method, url: path } = incoming;
  const headers = { ...incoming.headers, "x-forwarded-for": incoming.socket.remoteAddress };
  const to = { host: "127.0.0.1", port: ports[index]!, method, path, headers, agent };
  const asked = request(to, (answer) => {
    answered[index]! += 1;
    outgoing.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  asked.on("error", () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
  incoming.pipe(asked);
}
