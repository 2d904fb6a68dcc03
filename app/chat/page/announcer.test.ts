import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAnnouncer, endOfSentences } from "./announcer";
import type { Reply } from "./conversation/conversation";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function toReply(text: string, status: Reply["status"], id: string = "one"): Reply {
  return {
    role: "assistant",
    id,
    parentId: "question",
    createdAtMs: 0,
    model: null,
    parts: [{ kind: "text", id: "text", text }],
    status,
    finishReason: null,
    notice: null,
  };
}

function follow(deltas: readonly string[], everyMs: number) {
  const said: string[] = [];
  const announcer = createAnnouncer((text) => said.push(text));
  let text = "";
  announcer.follow(toReply(text, "streaming"));
  for (const delta of deltas) {
    vi.advanceTimersByTime(everyMs);
    text += delta;
    announcer.follow(toReply(text, "streaming"));
  }
  const saidWhileGrowing = said.length;
  return { said, saidWhileGrowing, announcer, text };
}

test("only whole sentences are announced", () => {
  const cut = (text: string) => text.slice(0, endOfSentences(text));
  expect(cut("One. Two! Thr")).toBe("One. Two!");
  expect(cut("Version 1.5 is")).toBe("");
  expect(cut("# Title\n\nand")).toBe("# Title\n\n");
});

test("a thousand words in eight seconds are announced in a few turns, each sentence once", () => {
  const sentences = Array.from({ length: 250 }, (_, at) => `Here is sentence${at}.`);
  const deltas = sentences.flatMap((sentence) => sentence.split(/(?<= )/).concat(" "));
  expect(deltas).toHaveLength(1_000);
  const { said, saidWhileGrowing, announcer, text } = follow(deltas, 8);
  expect(saidWhileGrowing).toBeGreaterThan(0);
  expect(saidWhileGrowing).toBeLessThanOrEqual(3);
  for (const turn of said) expect(turn.trim()).toMatch(/sentence\d+\.$/);
  announcer.follow(toReply(text, "done"));
  const heard = said.join(" ");
  expect(heard.match(/sentence\d+/g)).toEqual(sentences.map((_, at) => `sentence${at}`));
  expect(heard).toMatch(/sentence249\. The answer is complete\.$/);
});

test("an unfinished sentence waits, and is announced when the answer is stopped", () => {
  const { said, announcer, text } = follow(["Only ", "half a"], 5_000);
  expect(said).toEqual([]);
  announcer.follow(toReply(text, "stopped"));
  expect(said).toEqual(["Only half a. The answer was stopped."]);
});

test("the next answer is announced from its own beginning", () => {
  const { said, announcer, text } = follow(["First answer. "], 5_000);
  announcer.follow(toReply(text, "done"));
  announcer.follow(toReply("Other", "streaming", "two"));
  announcer.follow(toReply("Other words.", "done", "two"));
  expect(said.at(-1)).toBe("Other words. The answer is complete.");
});

test("of an answer that is come back to, only what is new is announced", () => {
  const said: string[] = [];
  const announcer = createAnnouncer((text) => said.push(text));
  announcer.skip(toReply("Heard before. ", "streaming"));
  announcer.follow(toReply("Heard before. New ", "streaming"));
  announcer.follow(toReply("Heard before. New words.", "done"));
  expect(said).toEqual(["New words. The answer is complete."]);
});
