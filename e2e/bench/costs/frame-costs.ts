import type { Browser } from "@playwright/test";
import { ask, openChat, replies } from "~e2e/support/browser/chat-page";
import { recordFrames } from "~e2e/support/browser/frames";
import type { SeenFrames } from "~e2e/support/browser/frames";
import { startGateServer } from "~e2e/support/browser/gate-server";
import { sayingAtPace, startOpenAiServer } from "~e2e/support/providers/openai-server";
import { median } from "../figures";

export type FrameFigures = {
  framesPerSecond: number;
  /** Of a hundred frames ninety-five came sooner after the one before. */
  p95FrameMs: number;
  longTasks: number;
  wordsPerSecond: number;
};

const slowDown = 4;
const perSecond = 200;
const recordedSeconds = 10;
const phone = { width: 390, height: 844 };
/** What a screen shows; a frame lost in two seconds still rounds up to it. */
const aim = 60;

/** Records the conversation, slowed down, while a model on this machine answers as fast as it can be read. */
export async function benchFrames(
  browser: Browser,
  rounds: number,
): Promise<{ verdicts: string[]; figures: FrameFigures; measured: FrameFigures[] }> {
  // Longer than what is recorded, and than the page needs to begin.
  const provider = await startOpenAiServer(
    sayingAtPace({ words: perSecond * (recordedSeconds + 20), perSecond }),
  );
  const env = { AI_PROVIDER: "local", AI_BASE_URL: provider.baseUrl, AI_MODELS: "fast" };
  const server = await startGateServer({ env: { ...env, AI_CHAT_MAX_OUTPUT_TOKENS: "20000" } });
  try {
    const measured: FrameFigures[] = [];
    for (let round = 0; round < rounds; round += 1) {
      console.error(`Frames of /chat, round ${round + 1} …`);
      measured.push(toFrameFigures(await recordAnswer(browser, server.baseUrl)));
    }
    const figures = summarizeFrames(measured);
    return { verdicts: [judgeFrames(figures)], figures, measured };
  } finally {
    await server.stop();
    await provider.close();
  }
}

async function recordAnswer(browser: Browser, baseUrl: string): Promise<SeenFrames> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: phone,
    hasTouch: true,
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  try {
    await openChat(page);
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowDown });
    await ask(page, "Talk");
    await replies(page).getByText("word").first().waitFor();
    return await recordFrames(page, recordedSeconds);
  } finally {
    await context.close();
  }
}

export function toFrameFigures({ startsMs, longTasksMs, drawnWords }: SeenFrames): FrameFigures {
  const [first, last] = [startsMs[0], startsMs.at(-1)];
  if (first === undefined || last === undefined || last <= first)
    throw new Error("The page came to no two frames.");
  if (drawnWords <= 0)
    throw new Error("No word was drawn meanwhile: the frames were those of a page at rest.");
  const intervals = startsMs.slice(1).map((startMs, index) => startMs - startsMs[index]!);
  intervals.sort((left, right) => left - right);
  const seconds = (last - first) / 1000;
  return {
    framesPerSecond: intervals.length / seconds,
    p95FrameMs: intervals[Math.ceil(intervals.length * 0.95) - 1]!,
    longTasks: longTasksMs.length,
    wordsPerSecond: drawnWords / seconds,
  };
}

function summarizeFrames(rounds: readonly FrameFigures[]): FrameFigures {
  const middle = (read: (figures: FrameFigures) => number) => median(rounds.map(read));
  return {
    framesPerSecond: middle(({ framesPerSecond }) => framesPerSecond),
    p95FrameMs: middle(({ p95FrameMs }) => p95FrameMs),
    longTasks: middle(({ longTasks }) => longTasks),
    wordsPerSecond: middle(({ wordsPerSecond }) => wordsPerSecond),
  };
}

export function toFrameText(figures: FrameFigures, rounds: number): string {
  const { framesPerSecond, p95FrameMs, longTasks, wordsPerSecond } = figures;
  return [
    `\`/chat\` while an answer comes at ${perSecond} tokens a second: medians of ${rounds} times ${recordedSeconds} seconds, the same screen, processor slowed down ${slowDown} times.`,
    "",
    "| Frames a second | p95 between frames, ms | Tasks over 50 ms | Tokens drawn a second |",
    "|---:|---:|---:|---:|",
    `| ${framesPerSecond.toFixed(1)} | ${p95FrameMs.toFixed(1)} | ${longTasks.toFixed(0)} | ${wordsPerSecond.toFixed(0)} |`,
  ].join("\n");
}

export function judgeFrames({ framesPerSecond }: FrameFigures): string {
  const word = Math.round(framesPerSecond) >= aim ? "PASS" : "over";
  return `${word}  /chat frames a second at least ${aim}: ${framesPerSecond.toFixed(1)}`;
}
