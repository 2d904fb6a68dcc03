import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "~/platform/http/connection/http-server.server";
import { answerParent } from "../worker-process";
import { openGateStatements } from "./gate-statements";
import type { StatementsSetup } from "./gate-statements";

/** `workers`: so many processes on one port, as Node's own cluster makes them. */
export type BareSetup = StatementsSetup & { workers?: number };

const { BARE_SETUP: givenSetup } = process.env;
if (cluster.isPrimary) answerParent(startBareServers);
else void startBareServer(JSON.parse(givenSetup!) as StatementsSetup);

async function startBareServers({ workers = 1, ...setup }: BareSetup): Promise<{ port: number }> {
  if (workers === 1) return await startBareServer(setup);
  // As with ours, the kernel hands out the connections.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let port = 0;
  for (let started = 0; started < workers; started += 1) {
    const worker = cluster.fork({ BARE_SETUP: JSON.stringify(setup) });
    [{ port }] = (await once(worker, "listening")) as [{ port: number }];
  }
  return { port };
}

/** What a request costs when nothing is done but its database statements, on Node's own HTTP server. */
async function startBareServer(setup: StatementsSetup): Promise<{ port: number }> {
  const statements = await openGateStatements(setup);

  async function answer(request: IncomingMessage): Promise<string> {
    const { url = "", method } = request;
    if (url === "/api/door") {
      await statements.answerQuestion();
      // What a site's proxy is told is in the headers.
      return "";
    }
    if (url === "/api/nonce") return JSON.stringify(await statements.issueNonce());
    if (method === "GET") return JSON.stringify(await statements.readStatus());
    if (request.headers.authorization !== undefined) return await statements.enterWithToken();
    return await statements.signIn(JSON.parse(await text(request)) as { nonce: string });
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (body) => send(response, body),
      (error: unknown) => send(response, String(error), 500),
    );
  });
  return { port: await listen(server, "127.0.0.1", 0) };
}

function send(response: ServerResponse, body: string, status: number = 200): void {
  const headers = { "Content-Type": "application/json; charset=utf-8" };
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}
