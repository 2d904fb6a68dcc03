import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { demoContent } from "~e2e/support/demo-content";
import { createContentReader } from "./content.server";
import { createMediaLinks } from "./media-links.server";
import { serveMedia } from "./media.server";

const contentDir = demoContent;
const links = createMediaLinks({ key: new Uint8Array(32).fill(1), ttlSeconds: 300, clock: Date.now });

async function readDemo(tokenId: string) {
  const complaints: unknown[] = [];
  const note = (fields: unknown) => complaints.push(fields);
  const reader = createContentReader({ contentDir, clock: Date.now, log: { info: note, warn: note } });
  return { content: await reader.readContent({ tokenId, signMediaUrl: links.sign }), complaints };
}

/** Goes the whole way of a media address: verify, then serve. */
async function follow(address: string): Promise<Response> {
  const url = new URL(address, "http://localhost");
  const [, , tokenId = "", ...segments] = url.pathname.split("/").map(decodeURIComponent);
  const file = segments.join("/");
  const exp = url.searchParams.get("exp");
  const { maxAgeSeconds } = links.verify({ tokenId, file, exp, sig: url.searchParams.get("sig") });
  const unconditional = { range: null, ifRange: null, ifNoneMatch: null, ifModifiedSince: null };
  return serveMedia({ contentDir, tokenId, file, method: "GET", maxAgeSeconds, ...unconditional });
}

function readWave(bytes: Buffer) {
  return {
    riff: bytes.toString("latin1", 0, 4),
    wave: bytes.toString("latin1", 8, 16),
    format: bytes.readUInt16LE(20),
    channels: bytes.readUInt16LE(22),
    sampleRate: bytes.readUInt32LE(24),
    bitsPerSample: bytes.readUInt16LE(34),
    announcedBytes: bytes.readUInt32LE(4) + 8,
    dataBytes: bytes.readUInt32LE(40),
    samples: new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length)),
  };
}

test("the demo room has every part, and nothing is logged about it", async () => {
  const { content, complaints } = await readDemo("1");
  expect(complaints).toEqual([]);
  expect(content.audioData.error).toBe(false);
  for (const part of [content.welcomeText, content.textSubmissionAreaHtml, content.styles, content.script]) {
    expect(part.length).toBeGreaterThan(200);
  }
  const words = content.welcomeText.split(/\s+/).length;
  expect(words).toBeGreaterThan(250);
  expect(words).toBeLessThan(400);
});

test("the demo form keeps its label, its field and its button together", async () => {
  const { content } = await readDemo("1");
  expect(content.textSubmissionAreaHtml).toContain('<label for="room-guest-book-line">');
  expect(content.textSubmissionAreaHtml).toMatch(
    /<textarea id="room-guest-book-line" [^>]*aria-describedby="room-guest-book-hint"/,
  );
  expect(content.textSubmissionAreaHtml).toContain('<button type="submit">');
});

test("key 2 of the demo has its own text and shares the rest", async () => {
  const [{ content: common }, { content: own, complaints }] = [await readDemo("1"), await readDemo("2")];
  expect(complaints).toEqual([]);
  expect(own.welcomeText).not.toBe(common.welcomeText);
  expect(own.welcomeText).toContain("/media/2/images/lamp-room.svg?");
  expect([own.styles, own.script, own.textSubmissionAreaHtml]).toEqual([
    common.styles,
    common.script,
    common.textSubmissionAreaHtml,
  ]);
});

test("the picture of the demo text is served at its address", async () => {
  const { content } = await readDemo("1");
  expect(content.welcomeText).toContain("# The lamp room");
  const address = /!\[[^\]]*\]\(([^)\s]+)/.exec(content.welcomeText)?.[1] ?? "";
  const answer = await follow(address);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("image/svg+xml");
  expect(await answer.text()).toContain("<svg");
});

test("the demo sound is a playable wave file of a few seconds, neither silent nor clipped", async () => {
  const { content } = await readDemo("1");
  const answer = await follow(content.audioData.audioSrc);
  expect(answer.headers.get("content-type")).toBe("audio/wav");
  const bytes = Buffer.from(await answer.arrayBuffer());
  const wave = readWave(bytes);
  expect(wave).toMatchObject({
    riff: "RIFF",
    wave: "WAVEfmt ",
    format: 1,
    channels: 1,
    sampleRate: 22_050,
    bitsPerSample: 16,
    announcedBytes: bytes.length,
    dataBytes: bytes.length - 44,
  });
  expect(bytes.length).toBeLessThanOrEqual(350_000);
  expect(wave.samples.length / wave.sampleRate).toBe(7.5);
  const peak = wave.samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
  expect(peak).toBeGreaterThan(16_000);
  expect(peak).toBeLessThan(32_000);
  expect(Math.abs(wave.samples[0] ?? 1)).toBeLessThan(50);
  expect(Math.abs(wave.samples.at(-1) ?? 1)).toBeLessThan(50);
});

test("the committed sound is what its script generates", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "latchkey-audio-"));
  try {
    const output = path.join(folder, "made.wav");
    execFileSync(process.execPath, ["e2e/repository/make-demo-audio.mjs", output]);
    const [made, committed] = [
      await readFile(output),
      await readFile(path.join(contentDir, "lamp-room.wav")),
    ];
    expect(made.length).toBe(committed.length);
    const [madeWave, committedWave] = [readWave(made).samples, readWave(committed).samples];
    // One step of rounding may differ between releases of the JavaScript engine.
    const farthest = madeWave.reduce(
      (most, sample, index) => Math.max(most, Math.abs(sample - (committedWave[index] ?? 0))),
      0,
    );
    expect(farthest).toBeLessThanOrEqual(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("every style of the demo applies inside the room only", async () => {
  const { content } = await readDemo("1");
  const selectors = content.styles
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("}")
    .map((rule) => rule.split("{")[0]?.trim() ?? "")
    .filter(Boolean)
    .flatMap((list) => list.split(",").map((selector) => selector.trim()));
  expect(selectors.length).toBeGreaterThan(20);
  for (const selector of selectors) expect(selector).toMatch(/^\.latchkey-room(?:$|[\s:])/);
});
