import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openKeptStream } from "~e2e/support/kept-stream";
import type { KeptReader } from "~e2e/support/kept-stream";
import type { CompletionCall } from "~e2e/support/providers/openai-server";
import { startRoundRobin } from "~e2e/support/providers/proxies";
import type { RunningServer } from "~e2e/support/running-server";
import { clientOf } from "../api/gate-fixture";
import { openSite } from "./instances-fixture";

export const resumeLeaseSeconds = 3;

/** Requests `words` words, one every `everyMs`, each with its position. */
export function askForTalk(words: number, everyMs: number): string {
  return `talk ${words} ${everyMs}`;
}

export type Talker = {
  /** The client's header. */
  bearer: Record<string, string>;
};

export type ResumeSite = Awaited<ReturnType<typeof openResumeSite>>;

/** Two servers on one state, a model that streams as requested, and their clients. */
export async function openResumeSite(env: Record<string, string> = {}) {
  const proxy = await startRoundRobin();
  const site = await openSite(proxy.origin, {
    LEASE_SECONDS: String(resumeLeaseSeconds),
    AI_CHAT_MAX_OUTPUT_TOKENS: "20000",
    AI_CHAT_QUOTA_TOKENS: "1000000000",
    AI_CHAT_MAX_DURATION: "120",
    JWT_ACCESS_TTL: "86400",
    RATE_LIMIT_CHAT_RESUME: "0",
    ...env,
  });
  /** Counts the model's replies by conversation. */
  const generations = new Map<string, number>();
  const talkAsAsked = (call: CompletionCall) => talk(call, generations);
  site.setModel(talkAsAsked);
  proxy.setPorts(site.servers.map(({ port }) => port));
  const forwarded = { "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": new URL(proxy.origin).host };

  async function enter(): Promise<Talker> {
    const { signIn } = clientOf({ origin: proxy.origin });
    const { status, body } = await signIn(await site.gate.mintKey());
    if (status !== 200) throw new Error(`Nobody was let in: ${status} ${JSON.stringify(body)}`);
    return { bearer: { Authorization: `Bearer ${String(body.accessToken)}` } };
  }

  type Turn = Talker & { server: Pick<RunningServer, "port">; id: string };
  const headersOf = ({ bearer }: Talker) => ({ ...forwarded, ...bearer });

  /** The model gets `id` too, so it can count by conversation. */
  function begin({ question, ...turn }: Turn & { question: string }): Promise<KeptReader> {
    return openKeptStream({
      port: turn.server.port,
      path: "/api/chat",
      method: "POST",
      json: { id: turn.id, messages: [{ role: "user", content: `${question} ${turn.id}` }] },
      headers: { ...headersOf(turn), "X-Chat-Resumable": "1" },
    });
  }

  const takeUp = ({ after, ...turn }: Turn & { after?: number }): Promise<KeptReader> =>
    openKeptStream({
      port: turn.server.port,
      path: `/api/chat/${turn.id}/stream`,
      headers: headersOf(turn),
      ...(after === undefined ? {} : { after }),
    });

  type Asked = { method: string; path: string; json?: unknown };
  const ask = (turn: Talker & { server: Pick<RunningServer, "port"> }, asked: Asked) =>
    clientOf({ origin: `http://127.0.0.1:${turn.server.port}` }).ask({
      ...asked,
      headers: { ...headersOf(turn), "X-Chat-Resumable": "1" },
    });

  return {
    ...site,
    proxy,
    generations,
    talk: talkAsAsked,
    enter,
    newConversation: () => randomUUID(),
    begin,
    takeUp,
    stop: (turn: Turn) => ask(turn, { method: "POST", path: `/api/chat/${turn.id}/stop` }),
    /** Asks a question that is refused before the stream. */
    beginInVain: (turn: Turn) => {
      const json = { id: turn.id, messages: [{ role: "user", content: "Hello" }] };
      return ask(turn, { method: "POST", path: "/api/chat", json });
    },
    readQuota: async (turn: Talker & { server: Pick<RunningServer, "port"> }) =>
      (await ask(turn, { method: "GET", path: "/api/quota" })).body as { used: number; reserved: number },
    close: async () => {
      await site.close();
      await proxy.stop();
    },
  };
}

/** "talk <words> <every ms> <id>". Each word holds its number, so losses and repetitions show. */
async function talk(call: CompletionCall, generations: Map<string, number>): Promise<void> {
  const question = call.body.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const [, words = "1", everyMs = "0", id = ""] = question.split(" ");
  generations.set(id, (generations.get(id) ?? 0) + 1);
  const beganAtMs = performance.now();
  for (let said = 0; said < Number(words) && !call.isClosed();) {
    const due = Number(everyMs) === 0 ? Number(words) : (performance.now() - beganAtMs) / Number(everyMs) + 1;
    for (; said < Math.min(due, Number(words)); said += 1) await call.text(`w${said} `);
    await delay(2);
  }
  await call.finish();
}

/** The text `talk` streams for this many words. */
export function toTalk(words: number): string {
  return Array.from({ length: words }, (_, index) => `w${index} `).join("");
}
