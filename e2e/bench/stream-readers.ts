import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { createWordCounter } from "./model-words";

export type Readers = Awaited<ReturnType<typeof openReaders>>;

/** Opens `count` streams of replies to one question. Resolves once each has its first word. */
export async function openReaders(url: string, question: string, count: number) {
  const body = JSON.stringify({ messages: [{ role: "user", content: question }] });
  const streams = Array.from({ length: count }, () => openStream(url, body));
  await Promise.all(streams.map(({ firstWord }) => firstWord));
  return {
    countWords: () => streams.reduce((total, { countWords }) => total + countWords(), 0),
    isAllOpen: () => streams.every(({ isOpen }) => isOpen()),
    /** Rejects unless every stream ends properly. */
    finish: () => Promise.all(streams.map(({ ended }) => ended)),
  };
}

function openStream(url: string, body: string) {
  const counter = createWordCounter();
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  const outgoing = request(url, { method: "POST", agent: false, headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject).end(body);
  });
  let isOpen = true;
  const firstWord = answered.then(async (incoming) => {
    if (incoming.statusCode !== 200) throw new Error(`${url} answered ${incoming.statusCode}.`);
    await new Promise<void>((resolve, reject) => {
      incoming.setEncoding("utf8").once("error", reject);
      incoming.on("data", (text: string) => {
        counter.take(text);
        if (counter.words() > 0) resolve();
      });
      incoming.once("close", () => reject(new Error(`A stream of ${url} had no words.`)));
    });
  });
  const ended = answered.then(async (incoming) => {
    await new Promise((resolve) => incoming.once("close", resolve));
    isOpen = false;
    if (!counter.isWhole()) throw new Error(`A stream of ${url} lost words or its end.`);
  });
  // A failure rejects the wait for the first word. `finish` awaits the end later.
  ended.catch(() => undefined);
  return { firstWord, countWords: counter.words, isOpen: () => isOpen, ended };
}
