import { request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { expect, onTestFinished } from "vitest";
import { chatEventSchema } from "~/chat/reply/chat-events";
import type { ChatEvent } from "~/chat/reply/chat-events";
import { systemClock as clock } from "~/platform/time/clock";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import { ownerOfKey } from "~/quota/quota-subject";
import { startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { Behaviour, OpenAiServer } from "~e2e/support/providers/openai-server";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { limitsOff } from "~e2e/support/limits";
import { clientOf } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

/** These settings enable the quota. */
export const quotaOn = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true" };

export const hello = { messages: [{ role: "user", content: "Hello" }] };

/** A provider that ends with the test. */
export async function startProvider(...behaviours: [Behaviour, ...Behaviour[]]): Promise<OpenAiServer> {
  const provider = await startOpenAiServer(...behaviours);
  onTestFinished(provider.close);
  return provider;
}

export function localProvider({ baseUrl }: Pick<OpenAiServer, "baseUrl">) {
  return { AI_PROVIDER: "local", AI_BASE_URL: baseUrl };
}

type StartChatServerOptions = {
  gate: Pick<Gate, "chain" | "contract">;
  env: Record<string, string | undefined>;
  dataDir?: string;
  nodeOptions?: readonly string[];
};

/** Another server on the gate's chain, with its own settings. It ends with the test. */
export async function startChatServer({ gate, env, dataDir, nodeOptions }: StartChatServerOptions) {
  const server = await startServer({
    env: { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, ...limitsOff, ...env },
    dataDir,
    nodeOptions,
  });
  onTestFinished(async () => void (await server.stop()));
  return { server, ...clientOf(server) };
}

/** A new key with an access token of this server. */
export async function signInNew(gate: Gate, at: Pick<Gate, "signIn"> = gate) {
  const holder = await gate.mintKey();
  const token = String((await at.signIn(holder)).body.accessToken);
  return { ...holder, token, bearer: { Authorization: `Bearer ${token}` } };
}

/** The server's ledger from another process. */
export async function openLedger(gate: Gate, server: Pick<RunningServer, "databaseUrl">) {
  const database = await openDatabase({ url: server.databaseUrl });
  onTestFinished(() => closeDatabase(database));
  const store = createQuotaStore(database, clock, "the test");
  const ownerOf = (tokenId: string) =>
    ownerOfKey({ chainId: 31337, contractAddress: gate.contract, tokenId });
  return {
    database,
    readStanding: (tokenId: string, limit = 20_000) => store.readStanding({ owner: ownerOf(tokenId), limit }),
    use: async ({ tokenId, usedTokens }: { tokenId: string; usedTokens: number }) => {
      const outcome = await store.reserve({
        owner: ownerOf(tokenId),
        wanted: usedTokens,
        limit: 1_000_000,
        windowSeconds: 86_400,
        expiresInSeconds: 600,
      });
      if (outcome.outcome === "exhausted") throw new Error("The quota is exhausted.");
      await store.settle({ reservationId: outcome.reservationId, usedTokens });
    },
  };
}

/** Parses a stream of this service. Lines other than events, comments and the end mark fail. */
export function parseStream(text: string): ChatEvent[] {
  const blocks = text.split("\n\n");
  expect(blocks.pop(), "ends with an empty line").toBe("");
  expect(blocks.pop(), "ends with the mark").toBe("data: [DONE]");
  return blocks.flatMap((block) => {
    if (block === ": keep-alive") return [];
    expect(block).toMatch(/^data: \{.*\}$/);
    return [chatEventSchema.parse(JSON.parse(block.slice("data: ".length)))];
  });
}

export function textOf(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("");
}

export type ChatQuestion = {
  port: number;
  json?: unknown;
  headers?: Record<string, string>;
  path?: string;
};

/** A question on its own connection. Destroying the request means leaving. */
export function sendChat({
  port,
  json = hello,
  headers = {},
  path: at = "/api/chat",
}: ChatQuestion): ClientRequest {
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path: at,
    method: "POST",
    agent: false,
    headers: { "Content-Type": "application/json", ...headers },
  });
  outgoing.on("error", () => undefined);
  outgoing.end(JSON.stringify(json));
  return outgoing;
}

/** The same, up to the response's headers. The body is unread. */
export async function openChat(question: ChatQuestion) {
  const outgoing = sendChat(question);
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
  });
  incoming.on("error", () => undefined);
  return { outgoing, incoming, status: incoming.statusCode };
}

/** Reads until the response contains `text`. The rest stays unread. */
export async function readUntil(incoming: IncomingMessage, text: string): Promise<string> {
  let read = "";
  return await new Promise((resolve, reject) => {
    const onEnd = () => reject(new Error(`The stream ended without ${text}: ${read}`));
    incoming.on("data", function take(chunk: Buffer) {
      read += chunk.toString("utf8");
      if (!read.includes(text)) return;
      incoming.off("data", take).off("close", onEnd).pause();
      resolve(read);
    });
    incoming.once("close", onEnd).resume();
  });
}

export async function readRest(incoming: IncomingMessage): Promise<string> {
  let read = "";
  for await (const chunk of incoming.setEncoding("utf8")) read += String(chunk);
  return read;
}

export async function chat(question: ChatQuestion) {
  const { incoming, status } = await openChat(question);
  const text = await readRest(incoming);
  const { headers } = incoming;
  return { status, headers, text, events: status === 200 ? parseStream(text) : [] };
}
