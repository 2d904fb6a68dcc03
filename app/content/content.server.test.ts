import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gatedContentSchema } from "./content.schema";
import { contentPartLimits } from "./content-parts.server";
import { createContentReader } from "./content.server";

type Line = { level: "info" | "warn"; fields: Record<string, unknown> };

let contentDir: string;
let nowMs: number;
let lines: Line[];

beforeEach(async () => {
  contentDir = await mkdtemp(path.join(tmpdir(), "latchkey-content-"));
  nowMs = 1_700_000_000_000;
  lines = [];
});

afterEach(async () => {
  await rm(contentDir, { recursive: true, force: true });
});

function createReader(options: { recheckMs?: number; maxCacheEntries?: number } = {}) {
  const reader = createContentReader({
    contentDir,
    clock: () => nowMs,
    log: {
      info: (fields) => lines.push({ level: "info", fields }),
      warn: (fields) => lines.push({ level: "warn", fields }),
    },
    ...options,
  });
  const signMediaUrl = ({ tokenId, file }: { tokenId: string; file: string }) => `/signed/${tokenId}/${file}`;
  return (tokenId = "1") => reader.readContent({ tokenId, signMediaUrl });
}

async function put(file: string, text: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(path.join(contentDir, file)), { recursive: true });
  await writeFile(path.join(contentDir, file), text);
}

async function putWholeRoom(): Promise<void> {
  await put("welcome.md", "---\ntitle: hidden\n---\n\n# Hello\n\n![A lamp](images/lamp.svg)\n");
  await put("submission.html", "<label for=line>Line</label><textarea id=line name=message></textarea>");
  await put(
    "audio.json",
    JSON.stringify({
      headline: "H",
      title: "T",
      description: "D",
      imageAlt: "A",
      audioSrc: "song.wav",
      imageSrc: "images/lamp.svg",
    }),
  );
  await put("song.wav", "RIFF");
  await put("images/lamp.svg", "<svg/>");
  await put("styles.css", "p { color: red }");
  await put("script.js", "alert(1)");
}

test("a whole room is delivered with signed media and in the shape of the contract", async () => {
  await putWholeRoom();
  const content = await createReader()("7");
  expect(gatedContentSchema.strict().parse(content)).toEqual({
    welcomeText: "# Hello\n\n![A lamp](/signed/7/images/lamp.svg)",
    textSubmissionAreaHtml:
      '<label for="room-line">Line</label><textarea id="room-line" name="room-message"></textarea>',
    audioData: {
      headline: "H",
      title: "T",
      description: "D",
      imageAlt: "A",
      imageSrc: "/signed/7/images/lamp.svg",
      audioSrc: "/signed/7/song.wav",
      error: false,
    },
    styles: "p { color: red }",
    script: "alert(1)",
  });
  expect(lines).toEqual([]);
});

test("an empty and an absent content folder both give an empty room, not an error", async () => {
  const empty = await createReader()();
  await rm(contentDir, { recursive: true });
  const absent = await createReader()();
  for (const content of [empty, absent]) {
    expect(content).toEqual({
      welcomeText: "",
      textSubmissionAreaHtml: "",
      audioData: {
        headline: "",
        title: "",
        description: "",
        imageAlt: "",
        imageSrc: "",
        audioSrc: "",
        error: true,
      },
      styles: "",
      script: "",
    });
  }
});

test.each([
  ["welcome.md", "welcomeText", ""],
  ["submission.html", "textSubmissionAreaHtml", ""],
  [
    "audio.json",
    "audioData",
    { headline: "", title: "", description: "", imageAlt: "", imageSrc: "", audioSrc: "", error: true },
  ],
  ["styles.css", "styles", ""],
  ["script.js", "script", ""],
] as const)(
  "a missing or broken %s leaves only its own part empty, and is logged once",
  async (file, field, emptyValue) => {
    await putWholeRoom();
    const whole = await createReader()();
    const damages = [
      () => unlink(path.join(contentDir, file)),
      () => put(file, new Uint8Array([0xff, 0xfe, 0x80])),
      () => put(file, " ".repeat(contentPartLimits[file] + 1)),
      async () => {
        await unlink(path.join(contentDir, file));
        await mkdir(path.join(contentDir, file));
      },
    ];
    const read = createReader();
    for (const damage of damages) {
      await damage();
      nowMs += 1000;
      lines = [];
      expect(await read()).toEqual({ ...whole, [field]: emptyValue });
      nowMs += 1000;
      await read();
      expect(lines.map((line) => line.fields.file)).toEqual([file]);
    }
  },
);

test("a part of exactly the size limit is delivered", async () => {
  await put("styles.css", "a".repeat(contentPartLimits["styles.css"]));
  expect((await createReader()()).styles).toHaveLength(contentPartLimits["styles.css"]);
});

test("a file of two gigabytes is refused without being read", async () => {
  await put("script.js", "");
  execFileSync("truncate", ["-s", "2G", path.join(contentDir, "script.js")]);
  const before = process.memoryUsage().rss;
  expect((await createReader()()).script).toBe("");
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  expect(lines).toContainEqual({
    level: "warn",
    fields: { file: "script.js", reason: "is larger than 262144 bytes" },
  });
});

test("a named pipe in place of a part delays nobody", async () => {
  execFileSync("mkfifo", [path.join(contentDir, "script.js")]);
  expect((await createReader()()).script).toBe("");
  expect(lines).toContainEqual({
    level: "warn",
    fields: { file: "script.js", reason: "is not a regular file" },
  });
});

test.each([
  ["not JSON", '{"headline": "secret words"', "is not valid JSON"],
  ["an array", "[]", "does not have the right shape"],
  ["a number for a text", JSON.stringify({ headline: 5, audioSrc: "song.wav" }), "headline"],
])(
  "audio.json with %s leaves the audio part empty and is named in the log without its words",
  async (_case, text, reason) => {
    await putWholeRoom();
    await put("audio.json", text);
    const { audioData } = await createReader()();
    expect(audioData).toEqual({
      headline: "",
      title: "",
      description: "",
      imageAlt: "",
      imageSrc: "",
      audioSrc: "",
      error: true,
    });
    expect(lines).toHaveLength(1);
    expect(String(lines[0]?.fields.reason)).toContain(reason);
    expect(JSON.stringify(lines)).not.toContain("secret");
  },
);

test.each([
  ["no sound named", undefined, "audio.json"],
  ["a file that is not there", "gone.wav", "gone.wav"],
  ["a text file named as sound", "welcome.md", "welcome.md"],
  ["a picture named as sound", "images/lamp.svg", "images/lamp.svg"],
  ["an outside address", "https://example.com/a.mp3", "https://example.com/a.mp3"],
  ["a path upwards", "../song.wav", "../song.wav"],
  ["another key's file", "tokens/2/song.wav", "tokens/2/song.wav"],
])(
  "with %s only the sound is missing: words and picture stay, and the log names the file once",
  async (_case, audioSrc, file) => {
    await putWholeRoom();
    const words = { headline: "H", title: "T", description: "D", imageAlt: "A" };
    await put("audio.json", JSON.stringify({ ...words, imageSrc: "images/lamp.svg", audioSrc }));
    const read = createReader();
    for (let round = 0; round < 2; round += 1) {
      expect((await read()).audioData).toEqual({
        ...words,
        imageSrc: "/signed/1/images/lamp.svg",
        audioSrc: "",
        error: true,
      });
    }
    expect(lines.map(({ fields }) => fields.file)).toEqual([file]);
  },
);

test("a missing picture leaves its address empty without an error, and without picture and sound the words remain", async () => {
  await putWholeRoom();
  await unlink(path.join(contentDir, "images/lamp.svg"));
  const withoutPicture = await createReader()();
  const audioSrc = "/signed/1/song.wav";
  expect(withoutPicture.audioData).toMatchObject({ headline: "H", imageSrc: "", audioSrc, error: false });
  expect(withoutPicture.welcomeText).toContain("![A lamp](images/lamp.svg)");
  await unlink(path.join(contentDir, "song.wav"));
  const { audioData } = await createReader()();
  expect(audioData).toMatchObject({ headline: "H", title: "T", imageSrc: "", audioSrc: "", error: true });
});

test("a picture that cannot be served is omitted and logged once", async () => {
  await putWholeRoom();
  await put("audio.json", JSON.stringify({ audioSrc: "song.wav", imageSrc: "../../etc/passwd" }));
  const read = createReader();
  expect((await read()).audioData).toMatchObject({
    imageSrc: "",
    audioSrc: "/signed/1/song.wav",
    error: false,
  });
  await read();
  expect(lines.map((line) => line.fields.file)).toEqual(["../../etc/passwd"]);
});

test("a key's own folder overrides each file for that key only", async () => {
  await putWholeRoom();
  const base = await createReader()("1");
  await put("tokens/2/welcome.md", "# For two\n\n![A lamp](images/lamp.svg)");
  await put("tokens/2/styles.css", "");
  await put("tokens/2/song.wav", "RIFF two");
  const read = createReader();
  const own = await read("2");
  expect(own.welcomeText).toBe("# For two\n\n![A lamp](/signed/2/images/lamp.svg)");
  expect(own.styles).toBe("");
  expect(own.script).toBe(base.script);
  expect(own.audioData).toMatchObject({ headline: "H", audioSrc: "/signed/2/song.wav" });
  expect(await read("1")).toEqual(base);
  expect(lines).toEqual([]);
});

test("files named by a key's own audio.json are found in its folder first and in the common one otherwise", async () => {
  await putWholeRoom();
  await put("tokens/3/audio.json", JSON.stringify({ audioSrc: "own.mp3", imageSrc: "images/lamp.svg" }));
  await put("tokens/3/own.mp3", "ID3");
  const { audioData } = await createReader()("3");
  expect(audioData).toMatchObject({
    audioSrc: "/signed/3/own.mp3",
    imageSrc: "/signed/3/images/lamp.svg",
    error: false,
  });
});

test("a broken file of one key is not replaced by the common one", async () => {
  await putWholeRoom();
  await put("tokens/2/audio.json", "{");
  await put("tokens/2/welcome.md", new Uint8Array([0xc3]));
  const content = await createReader()("2");
  expect(content.audioData.error).toBe(true);
  expect(content.welcomeText).toBe("");
  expect(content.script).toBe("alert(1)");
});

test.each(["", "-1", "01", "1.0", "1e3", "0x1", " 1", "1 ", "..", "../2", "1/../2", "١", "9".repeat(79)])(
  "%j is not a token id, and nothing is read for it",
  async (tokenId) => {
    await putWholeRoom();
    await expect(createReader()(tokenId)).rejects.toThrow(TypeError);
  },
);

test("the largest token id is read", async () => {
  await putWholeRoom();
  expect((await createReader()("9".repeat(78))).script).toBe("alert(1)");
});

test("symlinks are followed inside the content folder and refused outside of it", async () => {
  await putWholeRoom();
  const outside = await mkdtemp(path.join(tmpdir(), "latchkey-outside-"));
  try {
    await writeFile(path.join(outside, "script.js"), "stolen");
    await writeFile(path.join(outside, "song.wav"), "stolen");
    for (const file of ["script.js", "song.wav", "styles.css"]) await unlink(path.join(contentDir, file));
    await symlink(path.join(outside, "script.js"), path.join(contentDir, "script.js"));
    await symlink(path.join(outside, "song.wav"), path.join(contentDir, "song.wav"));
    await put("shared/blue.css", "p { color: blue }");
    await symlink("shared/blue.css", path.join(contentDir, "styles.css"));
    await mkdir(path.join(contentDir, "tokens"));
    await symlink(outside, path.join(contentDir, "tokens/2"));
    const read = createReader();
    for (const tokenId of ["1", "2"]) {
      const content = await read(tokenId);
      expect(content.script).toBe("");
      expect(content.audioData.error).toBe(true);
      expect(content.styles).toBe("p { color: blue }");
    }
    expect(lines.every((line) => line.fields.reason === "leads out of the content folder")).toBe(true);
    expect(lines).toHaveLength(4);
  } finally {
    await rm(outside, { recursive: true });
  }
});

test("a sibling folder whose name begins alike counts as outside", async () => {
  await mkdir(`${contentDir}-private`);
  try {
    await writeFile(`${contentDir}-private/script.js`, "stolen");
    await symlink(`${contentDir}-private/script.js`, path.join(contentDir, "script.js"));
    expect((await createReader()()).script).toBe("");
  } finally {
    await rm(`${contentDir}-private`, { recursive: true });
  }
});

test("a change is seen when the recheck interval has passed, and not a millisecond before", async () => {
  await putWholeRoom();
  const read = createReader({ recheckMs: 1000 });
  expect((await read()).script).toBe("alert(1)");
  await put("script.js", "alert(2)");
  await unlink(path.join(contentDir, "styles.css"));
  nowMs += 999;
  expect(await read()).toMatchObject({ script: "alert(1)", styles: "p { color: red }" });
  nowMs += 1;
  expect(await read()).toMatchObject({ script: "alert(2)", styles: "" });
});

test("a read within the recheck interval does not touch the disk, for present and for absent files", async () => {
  await putWholeRoom();
  await rm(path.join(contentDir, "script.js"));
  const read = createReader();
  const first = await read("5");
  await rename(contentDir, `${contentDir}-away`);
  try {
    expect(await read("5")).toEqual(first);
    nowMs += 1000;
    expect((await read("5")).welcomeText).toBe("");
  } finally {
    await rename(`${contentDir}-away`, contentDir);
  }
  nowMs += 1000;
  expect(await read("5")).toEqual(first);
});

test("a file of the same size and time but another inode is read again", async () => {
  await put("script.js", "alert(1)");
  const when = new Date(1_600_000_000_000);
  await utimes(path.join(contentDir, "script.js"), when, when);
  const read = createReader();
  await read();
  await put("script.new", "alert(2)");
  await utimes(path.join(contentDir, "script.new"), when, when);
  await rename(path.join(contentDir, "script.new"), path.join(contentDir, "script.js"));
  nowMs += 1000;
  expect((await read()).script).toBe("alert(2)");
});

test("a clock set back does not freeze the content", async () => {
  await put("script.js", "alert(1)");
  const read = createReader();
  await read();
  await put("script.js", "alert(22)");
  nowMs -= 3_600_000;
  expect((await read()).script).toBe("alert(22)");
});

test("a broken part is logged again after it changed and is still broken", async () => {
  await put("audio.json", "{");
  const read = createReader();
  await read();
  await put("audio.json", "{{");
  nowMs += 1000;
  await read();
  expect(lines.filter((line) => line.fields.file === "audio.json")).toHaveLength(2);
});
