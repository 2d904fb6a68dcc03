import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { answerParent } from "../worker-process";
import { createWordCounter } from "./word-counter";

/** With `isResumable`, each in a conversation of its own. `accessTokens`: those who ask, in turns. */
type Question = {
  url: string;
  body: string;
  headers?: Record<string, string>;
  isResumable?: boolean;
  accessTokens?: readonly string[];
};

/** `ask`: so many answers one after the other on each connection, each read to its end. */
export type ReadersOrder =
  | ({ order: "open"; streams: number } & Question)
  | ({ order: "ask"; answers: number; connections: number } & Question)
  | { order: "count" }
  | { order: "finish" };
export type ReadersAnswer =
  { firstWordMs: number[] } | { words: number; isAllOpen: boolean } | { ended: number };

type Stream = {
  firstWordMs: Promise<number>;
  countWords: () => number;
  isOpen: () => boolean;
  ended: Promise<void>;
};

let streams: Stream[] = [];
let asked = 0;

answerParent(obey);

async function obey(order: ReadersOrder): Promise<ReadersAnswer> {
  if (order.order === "open") {
    streams = Array.from({ length: order.streams }, () => openStream(order));
    return { firstWordMs: await Promise.all(streams.map(({ firstWordMs }) => firstWordMs)) };
  }
  if (order.order === "ask") return { firstWordMs: await askInTurn(order) };
  if (order.order === "count") {
    const words = streams.reduce((total, { countWords }) => total + countWords(), 0);
    return { words, isAllOpen: streams.every(({ isOpen }) => isOpen()) };
  }
  await Promise.all(streams.map(({ ended }) => ended));
  return { ended: streams.length };
}

async function askInTurn(order: Extract<ReadersOrder, { order: "ask" }>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections });
  const firstWordMs: number[] = [];
  let left = order.answers;
  async function askOn(): Promise<void> {
    while (left > 0) {
      left -= 1;
      const stream = openStream(order, agent);
      firstWordMs.push(await stream.firstWordMs);
      await stream.ended;
    }
  }
  try {
    await Promise.all(Array.from({ length: order.connections }, askOn));
    return firstWordMs;
  } finally {
    agent.destroy();
  }
}

/** Rejects `firstWordMs` or `ended` for whatever is no whole stream of words with its end mark. */
function openStream(question: Question, agent: Agent | false = false): Stream {
  const { url, isResumable = false, accessTokens = [] } = question;
  const body = isResumable ? question.body.replace("{", `{"id":"${randomUUID()}",`) : question.body;
  const counter = createWordCounter();
  const beganAt = performance.now();
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    ...(isResumable && { "X-Chat-Resumable": "1" }),
    ...question.headers,
    ...(accessTokens.length > 0 && { Authorization: `Bearer ${accessTokens[asked % accessTokens.length]}` }),
  };
  asked += 1;
  const outgoing = request(url, { method: "POST", agent, headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject).end(body);
  });
  const firstWordMs = answered.then(async (incoming) => {
    if (incoming.statusCode !== 200) throw new Error(`${url} answered ${incoming.statusCode}.`);
    return await new Promise<number>((resolve, reject) => {
      incoming.setEncoding("utf8").once("error", reject);
      incoming.on("data", (text: string) => {
        counter.take(text);
        if (counter.words() > 0) resolve(performance.now() - beganAt);
      });
      incoming.once("close", () => reject(new Error(`A stream of ${url} had no words.`)));
    });
  });
  let isOpen = true;
  const ended = answered.then(async (incoming) => {
    await new Promise((resolve) => incoming.once("close", resolve));
    isOpen = false;
    if (!counter.isWhole()) throw new Error(`A stream of ${url} had ${counter.describe()}.`);
  });
  // A failure rejects the wait for the first word; the end is asked for later.
  ended.catch(() => undefined);
  return { firstWordMs, countWords: counter.words, isOpen: () => isOpen, ended };
}
