import { expect, onTestFinished, test } from "vitest";
import { openSpeechDesk, startSpeechProvider } from "~/testing/speech-desk";
import {
  answeringSpeech,
  breakingOffAfter,
  clearingItsThroat,
  neverSpeaking,
  pausingAfter,
  sounding,
} from "~/testing/speech-server";
import { createFlitePool } from "./flite/flite-pool.server";
import { createFliteSpeech } from "./providers/flite.gateway.server";

const sound = Buffer.from("the sound of a voice");
const limit = 100;

/** Status, and what the quota's headers say; reads the body to its end. */
async function readOutcome(response: Response) {
  await response.arrayBuffer();
  expect(response.headers.get("x-ratelimit-limit")).toBe("20");
  return [response.status, response.headers.get("x-quota-remaining")];
}

test("the headers tell where the key stands once this text is settled: spoken, repeated, failed, refused", async () => {
  const { provider } = await startSpeechProvider({
    behaviours: [sounding(sound), answeringSpeech({ status: 500, headers: {}, text: "" }), sounding(sound)],
  });
  const { ask, readStanding, clock } = await openSpeechDesk({ provider, limit });
  const resetAt = new Date(clock() + 60_000).toISOString();
  const first = await ask("Twelve chars");
  expect(first.headers.get("x-quota-limit")).toBe("100");
  expect(first.headers.get("x-quota-reset")).toBe(resetAt);
  expect(await readOutcome(first)).toEqual([200, "88"]);
  expect(await readOutcome(await ask("Twelve chars"))).toEqual([200, "88"]);
  expect(await readOutcome(await ask("This one fails."))).toEqual([500, "88"]);
  expect(await readOutcome(await ask("This one works."))).toEqual([200, "73"]);
  const refused = await ask("x".repeat(74));
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(await refused.clone().json()).toEqual({ error: "Quota exceeded", remaining: 73, resetAt });
  expect(await readOutcome(refused)).toEqual([429, "73"]);
  // What has nothing for the ear is told so before the budget is asked.
  expect(await readOutcome(await ask("🎉"))).toEqual([422, null]);
  expect(await readStanding()).toMatchObject({ used: 27, reserved: 0, remaining: 73 });
});

test("a voice that has no room or no sounds for a text gives its characters back before it answers", async () => {
  const { provider } = await startSpeechProvider({ behaviours: [sounding(sound)] });
  const full = await openSpeechDesk({ provider, limit, maxFlights: 0 });
  const busy = await full.ask("Twelve chars");
  expect(busy.headers.get("retry-after")).toBe("2");
  expect(await readOutcome(busy)).toEqual([503, "100"]);
  const pool = createFlitePool({ maxThreads: 1, maxWaiting: 1 });
  onTestFinished(pool.stop);
  const english = await openSpeechDesk({ provider: createFliteSpeech({ pool, voice: "slt" }), limit });
  expect(await readOutcome(await english.ask("Здравствуйте"))).toEqual([422, "100"]);
});

test("what others have set aside meanwhile is not shown as left, and a window that ended is not shown at all", async () => {
  let proceed = () => {};
  const gone = new Promise<void>((resolve) => (proceed = resolve));
  const { provider, calls } = await startSpeechProvider({
    behaviours: [
      async (call) => {
        await gone;
        await sounding(sound)(call);
      },
      sounding(sound),
      async (call) => {
        advance(60_000);
        await answeringSpeech({ status: 500, headers: {}, text: "" })(call);
      },
    ],
  });
  const { ask, advance } = await openSpeechDesk({ provider, limit });
  const slow = ask("Twelve chars");
  await expect.poll(() => calls.length).toBe(1);
  expect(await readOutcome(await ask("Ten chars."))).toEqual([200, "78"]);
  proceed();
  expect(await readOutcome(await slow)).toEqual([200, "78"]);
  const late = await ask("Over the edge");
  expect(late.headers.get("x-quota-reset")).toBeNull();
  expect(await readOutcome(late)).toEqual([500, "100"]);
});

test("characters of a budget are code points: a hundred keys fit, and a hundred and one do not", async () => {
  const { provider } = await startSpeechProvider({ behaviours: [sounding(sound)] });
  const { ask } = await openSpeechDesk({ provider, limit });
  expect((await ask(`a${"🔑".repeat(100)}`)).status).toBe(429);
  expect(await readOutcome(await ask(`a${"🔑".repeat(99)}`))).toEqual([200, "0"]);
});

test.each([
  ["says nothing at all", neverSpeaking],
  ["sends headers and no audio", clearingItsThroat],
])("a provider that %s is given up in time, with 500", async (_name, behaviour) => {
  const { provider, calls } = await startSpeechProvider({
    behaviours: [behaviour],
    times: { firstByteTimeoutMs: 50 },
  });
  const { ask } = await openSpeechDesk({ provider, limit });
  const response = await ask("Hello there.");
  expect(await response.clone().json()).toEqual({
    error: "TTS generation failed",
    details: "no audio within 0.05 seconds",
  });
  expect(await readOutcome(response)).toEqual([500, "100"]);
  await calls[0]!.closed;
});

test("a provider that falls silent while it speaks is given up, and the answer breaks off instead of ending", async () => {
  const forever = new Promise<void>(() => undefined);
  const { provider, calls } = await startSpeechProvider({
    behaviours: [pausingAfter({ chunk: sound, rest: sound, proceed: forever }), sounding(sound)],
    times: { idleTimeoutMs: 50 },
  });
  const { ask } = await openSpeechDesk({ provider, limit });
  const response = await ask("Hello there.");
  expect([response.status, response.headers.get("x-quota-remaining")]).toEqual([200, "88"]);
  const reader = response.body!.getReader();
  expect(Buffer.from((await reader.read()).value!)).toEqual(sound);
  await expect(reader.read()).rejects.toThrow("Speech failed: ");
  await calls[0]!.closed;
  // Half a recording is not kept.
  expect(await readOutcome(await ask("Hello there."))).toEqual([200, "76"]);
  expect(calls).toHaveLength(2);
});

test("what breaks off after its first byte has been spoken, and counts", async () => {
  const { provider } = await startSpeechProvider({ behaviours: [breakingOffAfter(sound)] });
  const { ask, readStanding } = await openSpeechDesk({ provider, limit });
  const response = await ask("Twelve chars");
  expect(response.headers.get("x-quota-remaining")).toBe("88");
  await expect(response.arrayBuffer()).rejects.toThrow("Speech failed: ");
  expect(await readStanding()).toMatchObject({ used: 12, reserved: 0 });
});

test("a client that leaves before the first byte ends the provider's work, and nothing is counted", async () => {
  const { provider, calls } = await startSpeechProvider({ behaviours: [neverSpeaking] });
  const { ask, readStanding } = await openSpeechDesk({ provider, limit });
  const leaving = new AbortController();
  const asked = ask("Hello there.", leaving.signal);
  await expect.poll(() => calls.length).toBe(1);
  leaving.abort(new Error("gone"));
  await asked;
  await calls[0]!.closed;
  expect(await readStanding()).toMatchObject({ used: 0, reserved: 0 });
});
