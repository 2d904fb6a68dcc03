import { once } from "node:events";
import { Agent, createServer, request as sendRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "~/platform/http/connection/http-server.server";

export type CountingProxy = { url: string; countCalls: () => number; stop: () => Promise<void> };

/** Stands between the server and its chain and counts JSON-RPC calls: each member of a batch is one. */
export async function startCountingProxy(upstreamUrl: string): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true });
  let calls = 0;

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    calls += Array.isArray(parsed) ? parsed.length : 1;
    const headers = { "Content-Type": "application/json", "Content-Length": body.length };
    const outgoing = sendRequest(upstreamUrl, { method: "POST", agent, headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  });
  const port = await listen(server, "127.0.0.1", 0);
  return {
    url: `http://127.0.0.1:${port}`,
    countCalls: () => calls,
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
