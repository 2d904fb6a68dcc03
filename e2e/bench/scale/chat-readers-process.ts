import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { answerParent } from "../worker-process";
import { createWordCounter } from "./word-counter";

export type ReadersOrder =
  { order: "open"; url: string; body: string; streams: number } | { order: "count" } | { order: "finish" };
export type ReadersAnswer =
  { firstWordMs: number[] } | { words: number; isAllOpen: boolean } | { ended: number };

type Stream = {
  firstWordMs: Promise<number>;
  countWords: () => number;
  isOpen: () => boolean;
  ended: Promise<void>;
};

let streams: Stream[] = [];

answerParent(obey);

async function obey(order: ReadersOrder): Promise<ReadersAnswer> {
  if (order.order === "open") {
    streams = Array.from({ length: order.streams }, () => openStream(order));
    return { firstWordMs: await Promise.all(streams.map(({ firstWordMs }) => firstWordMs)) };
  }
  if (order.order === "count") {
    const words = streams.reduce((total, { countWords }) => total + countWords(), 0);
    return { words, isAllOpen: streams.every(({ isOpen }) => isOpen()) };
  }
  await Promise.all(streams.map(({ ended }) => ended));
  return { ended: streams.length };
}

/** Rejects `firstWordMs` or `ended` for whatever is no whole stream of words with its end mark. */
function openStream({ url, body }: { url: string; body: string }): Stream {
  const counter = createWordCounter();
  const beganAt = performance.now();
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  const outgoing = request(url, { method: "POST", agent: false, headers });
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
