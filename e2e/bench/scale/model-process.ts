import { setTimeout as delay } from "node:timers/promises";
import { startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { CompletionCall } from "~e2e/support/providers/openai-server";
import { answerParent } from "../worker-process";
import { tellWords } from "./ask-for-words";

/** `hold`: from now on requests that ask for it are held until `speak`, and go on until `end`. */
export type ModelOrder = { order: "start" } | { order: "hold" | "speak" | "end" };
export type ModelAnswer = { baseUrl: string } | { streams: number };

let letSpeak: () => void = () => undefined;
let maySpeak = Promise.resolve();
let hasEnded = false;
let streams = 0;

answerParent(obey);

async function obey({ order }: ModelOrder): Promise<ModelAnswer> {
  if (order === "start") return { baseUrl: (await startOpenAiServer(answer)).baseUrl };
  if (order === "speak") letSpeak();
  if (order === "end") hasEnded = true;
  if (order === "hold") {
    [hasEnded, streams] = [false, 0];
    maySpeak = new Promise((resolve) => (letSpeak = resolve));
  }
  return { streams };
}

async function answer(call: CompletionCall): Promise<void> {
  const [manner = "", count = "0", everyMs = "0"] = (call.body.messages.at(-1)?.content ?? "").split(" ");
  const speak = manners.get(manner) ?? speakAtOnce;
  const said = await speak({ call, count: Number(count), everyMs: Number(everyMs) });
  await call.text(tellWords(said));
  await call.finish();
}

type Speech = { call: CompletionCall; count: number; everyMs: number };

const manners = new Map([
  ["held", speakWhenTold],
  ["paced", speakAtPace],
]);

async function speakAtOnce({ call, count }: Pick<Speech, "call" | "count">): Promise<number> {
  for (let said = 0; said < count; said += 1) await call.text("word ");
  return count;
}

async function speakAtPace({ call, count, everyMs }: Speech): Promise<number> {
  const beganAtMs = performance.now();
  for (let said = 0; said < count && !call.isClosed(); said += 1) {
    await call.text("word ");
    await delay(Math.max(0, beganAtMs + (said + 1) * everyMs - performance.now()));
  }
  return count;
}

async function speakWhenTold({ call, count: everyMs }: Pick<Speech, "call" | "count">): Promise<number> {
  streams += 1;
  await call.text("word ");
  await maySpeak;
  // Everybody begins at another moment: together they would speak in bursts.
  await delay(Math.random() * everyMs);
  let said = 1;
  for (; !hasEnded && !call.isClosed(); said += 1) {
    await call.text("word ");
    await delay(everyMs);
  }
  return said;
}
