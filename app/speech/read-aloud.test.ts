import { expect, test } from "vitest";
import { readAloud } from "./read-aloud";

async function* piecesOf(...texts: string[]) {
  for (const text of texts) yield await Promise.resolve(text);
}

function createPlayer() {
  const fetched: string[] = [];
  const played: string[] = [];
  const ends: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  return {
    fetched,
    played,
    signals,
    endPlaying: () => ends.shift()?.(),
    fetchAudio: async ({
      text,
      messageId,
      signal,
    }: {
      text: string;
      messageId: string;
      signal: AbortSignal;
    }) => {
      signals.push(signal);
      fetched.push(messageId);
      // Later parts are ready earlier.
      if (text === "One.") await new Promise((resolve) => setTimeout(resolve, 5));
      if (text === "Bad.") throw new Error("no voice");
      return text;
    },
    playAudio: ({ audio }: { audio: string }) => {
      played.push(audio);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  };
}

test("parts are played in their order and fetched at most one ahead", async () => {
  const player = createPlayer();
  const { signal } = new AbortController();
  const reading = readAloud({
    pieces: piecesOf("One.", "Two.", "Three."),
    messageId: "msg_1",
    signal,
    ...player,
  });
  await expect.poll(() => player.played).toEqual(["One."]);
  expect(player.fetched).toEqual(["msg_1:0", "msg_1:1"]);
  player.endPlaying();
  await expect.poll(() => player.played).toEqual(["One.", "Two."]);
  expect(player.fetched).toEqual(["msg_1:0", "msg_1:1", "msg_1:2"]);
  player.endPlaying();
  await expect.poll(() => player.played).toEqual(["One.", "Two.", "Three."]);
  player.endPlaying();
  await reading;
});

test("stopping stops at once, in the middle of a part or while the next one is being written", async () => {
  for (const isStuck of [true, false]) {
    const player = createPlayer();
    const controller = new AbortController();
    async function* pieces() {
      yield "One.";
      if (isStuck) await new Promise(() => undefined);
      yield "Two.";
    }
    const reading = readAloud({ pieces: pieces(), messageId: "m", signal: controller.signal, ...player });
    await expect.poll(() => player.played).toEqual(["One."]);
    controller.abort(new Error("stop"));
    await expect(reading).rejects.toThrow("stop");
    player.endPlaying();
    await new Promise((resolve) => setImmediate(resolve));
    expect(player.played).toEqual(["One."]);
    expect(player.signals.every(({ aborted }) => aborted)).toBe(true);
  }
});

test("a part that fails ends the reading, after the parts before it", async () => {
  const player = createPlayer();
  const { signal } = new AbortController();
  const reading = readAloud({
    pieces: piecesOf("One.", "Bad.", "Three."),
    messageId: "m",
    signal,
    ...player,
  });
  await expect.poll(() => player.played).toEqual(["One."]);
  player.endPlaying();
  await expect(reading).rejects.toThrow("no voice");
  expect(player.played).toEqual(["One."]);
});
