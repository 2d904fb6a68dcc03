import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createKeptAnswerStore } from "~/chat/kept/kept-answers.store.server";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { systemClock as clock } from "~/platform/time/clock";
import { largeConversation } from "./hostile/hostile-requests";
import type { HostileRequest } from "./hostile/hostile-requests";
import { toFrame } from "~e2e/support/providers/openai-server";

export const resetSecret = "a-quota-reset-secret-of-the-tests";

/** Settings that let every request get as far as it can. */
export const openToAll = {
  NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false",
  AI_OFFLINE_WORD_MS: "0",
  AI_QUOTA_RESET_SECRET: resetSecret,
  OPERATOR_SECRET: "an-operator-secret-of-the-tests",
  DOOR_HOSTS: "wiki.example.com",
  TRUST_PROXY: "loopback",
};

/** Stores a stranger's reply of 10,000 events. */
export async function keepLargeReply(databaseUrl: string): Promise<void> {
  const database = await openDatabase({ url: databaseUrl });
  const store = createKeptAnswerStore(database, clock);
  const reply = { replyId: "a-large-kept-reply", leaseMs: 60_000 };
  const owner = { owner: "", openFor: "the tests", proofHash: null, maxOpen: 1 };
  await store.begin({ ...reply, ...owner, conversationId: largeConversation });
  const event = JSON.stringify({ type: "text-delta", id: "1", delta: "word " });
  const events = Array.from({ length: 500 }, () => event);
  for (let endingId = events.length; endingId <= 10_000; endingId += events.length) {
    const ending = endingId < 10_000 ? null : { endingId, expiresAtMs: clock() + 3_600_000 };
    const firstId = endingId - events.length + 1;
    await store.append({ ...reply, firstId, events, usedTokens: 1, headers: null, ending });
  }
  await closeDatabase(database);
}

export type Answered = { status: number; location: string };

/** Sends on a new connection. Speech is not awaited, because its voices have their own threads. */
export function sendHostile(
  port: number,
  { path, method, headers, body }: HostileRequest,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false });
    sent.on("error", reject).on("response", (incoming: IncomingMessage) => {
      const { statusCode: status = 0, headers: given } = incoming;
      incoming.on("error", reject).on("close", () => resolve({ status, location: given.location ?? "" }));
      if (!given["content-type"]?.startsWith("audio/")) return void incoming.resume();
      incoming.off("error", reject).on("error", () => undefined);
      incoming.destroy();
    });
    sent.end(body);
  });
}

export function sizeOf({ path, headers, body = "" }: HostileRequest): number {
  return path.length + JSON.stringify(headers).length + Buffer.byteLength(body);
}

/** All outside services at one address. It counts the bytes of each request. */
export async function startCountingServices() {
  let received: Record<string, number> = {};
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? "";
    incoming.on("data", (chunk: Buffer) => (received[path] = (received[path] ?? 0) + chunk.length));
    incoming.on("end", () => {
      if (path.endsWith("/chat/completions")) {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        return response.end(`${toFrame({ content: "Yes." })}${toFrame({}, "stop")}data: [DONE]\n\n`);
      }
      if (path.endsWith("/audio/speech")) {
        return response.writeHead(200, { "Content-Type": "audio/mpeg" }).end("a sound");
      }
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answerOf(path)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: {
      AI_PROVIDER: "local",
      AI_BASE_URL: `${origin}/v1`,
      TTS_PROVIDER: "local",
      TTS_BASE_URL: `${origin}/v1`,
      EMBEDDING_MODEL: "a-model",
      PINECONE_API_KEY: "pc-secret",
      PINECONE_INDEXES: "docs",
      PINECONE_HOST: origin,
    },
    /** By address, since the last call. */
    takeReceived: () => {
      const taken = received;
      received = {};
      return taken;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerOf(path: string): unknown {
  if (path.endsWith("/embeddings")) return { data: [{ index: 0, embedding: [0, 3, 4] }] };
  if (path === "/describe_index_stats") return { dimension: 3, namespaces: {} };
  return { object: "list", data: [], matches: [{ id: "a#1", score: 0.5, metadata: { text: "words" } }] };
}
