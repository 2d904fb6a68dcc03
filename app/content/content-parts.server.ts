import path from "node:path";
import type { Clock } from "~/platform/clock";
import { ContentFileError, openContentFile, readContentText, tokenFolder } from "./content-files.server";
import { audioFileSchema } from "./content.schema";
import type { AudioFile } from "./content.schema";
import { createFileCache } from "./file-cache.server";
import type { FileCache, FileOutcome } from "./file-cache.server";
import { isMediaFile } from "./media-file";
import type { MediaKind } from "./media-file";
import { sanitizeSubmissionHtml } from "./submission-html.server";
import { parseWelcomeText } from "./welcome-text";
import type { WelcomeText } from "./welcome-text";

/** What a part may weigh on disk. A larger file is left out, so that a slip cannot fill the memory. */
export const contentPartLimits = {
  "welcome.md": 256 * 1024,
  "submission.html": 64 * 1024,
  "audio.json": 16 * 1024,
  "styles.css": 128 * 1024,
  "script.js": 256 * 1024,
} as const;

export type PartName = keyof typeof contentPartLimits;

/** Upper bound of what the cache of one part holds, over all keys with files of their own. */
const maxCacheBytesPerPart = 8 * 1024 * 1024;

type LogLine = (fields: Record<string, unknown>, message: string) => void;
export type ContentLog = { info: LogLine; warn: LogLine };

/** Where the files of one key are looked for, in this order; the last is the base folder. */
export type Room = { tokenId: string; folders: readonly string[] };

export type ContentParts = {
  openRoom: (tokenId: string) => Promise<Room>;
  /** What every key without files of its own gets. */
  baseRoom: Room;
  findWelcome: (room: Room) => Promise<WelcomeText | null>;
  findSubmission: (room: Room) => Promise<string | null>;
  findAudio: (room: Room) => Promise<AudioFile | null>;
  findStyles: (room: Room) => Promise<string | null>;
  findScript: (room: Room) => Promise<string | null>;
  hasMedia: (wanted: { room: Room; file: string; kind: MediaKind }) => Promise<boolean>;
};

export type ContentPartsOptions = {
  contentDir: string;
  clock: Clock;
  log: ContentLog;
  /** A file is looked at again at most this often. */
  recheckMs: number;
  /** For each part: a file that is remembered, one known not to be there included, is one entry. */
  maxCacheEntries: number;
};

/** The operator's files, each read again only when it changed and complained of once until it changes. */
export function createContentParts(options: ContentPartsOptions): ContentParts {
  const rootDir = path.resolve(options.contentDir);
  const report = createReporter(rootDir, options.log);
  const folders = createCache(
    options,
    () => Promise.resolve(true),
    () => 0,
  );
  const media = createCache(
    options,
    (filePath) => checkServable({ contentDir: rootDir, filePath }),
    () => 0,
  );

  function partFinder<Value>(name: PartName, parse: (text: string) => Value) {
    const limits = { contentDir: rootDir, maxBytes: contentPartLimits[name] };
    const cache = createCache(
      options,
      async (filePath) => parse(await readContentText({ ...limits, filePath })),
      (value: Value) => 2 * JSON.stringify(value).length,
    );
    return async function findPart(room: Room): Promise<Value | null> {
      const { filePath, outcome } = await findFirst(room, name, cache);
      report.outcome({ filePath, outcome });
      return outcome.state === "present" ? outcome.value : null;
    };
  }

  return {
    baseRoom: { tokenId: "", folders: [rootDir] },
    // Most keys have no folder of their own: one remembered answer spares looking for each part in it.
    openRoom: async (tokenId) => {
      const ownFolder = tokenFolder(rootDir, tokenId);
      const { state } = await folders.get(ownFolder);
      return { tokenId, folders: state === "missing" ? [rootDir] : [ownFolder, rootDir] };
    },
    findWelcome: partFinder("welcome.md", parseWelcomeText),
    findSubmission: partFinder("submission.html", sanitizeSubmissionHtml),
    findAudio: partFinder("audio.json", parseAudioFile),
    findStyles: partFinder("styles.css", (text) => text),
    findScript: partFinder("script.js", (text) => text),
    hasMedia: async ({ room, file, kind }) => {
      if (!isMediaFile(file, kind)) {
        report.unservableName({ file, kind });
        return false;
      }
      const { filePath, outcome } = await findFirst(room, file, media);
      report.outcome({ filePath, outcome });
      return outcome.state === "present";
    },
  };
}

function createCache<Value>(
  options: ContentPartsOptions,
  load: (filePath: string) => Promise<Value>,
  weigh: (value: Value) => number,
): FileCache<Value> {
  const { clock, recheckMs, maxCacheEntries } = options;
  return createFileCache({
    load,
    weigh,
    clock,
    recheckMs,
    maxEntries: maxCacheEntries,
    maxBytes: maxCacheBytesPerPart,
  });
}

/** A file in the key's own folder counts even when it is broken; only one that is not there is looked for further. */
async function findFirst<Value>(
  room: Room,
  file: string,
  cache: FileCache<Value>,
): Promise<{ filePath: string; outcome: FileOutcome<Value> }> {
  let found: { filePath: string; outcome: FileOutcome<Value> } | null = null;
  for (const folder of room.folders) {
    const filePath = path.join(folder, file);
    found = { filePath, outcome: await cache.get(filePath) };
    if (found.outcome.state !== "missing") return found;
  }
  if (!found) throw new TypeError("a room has at least the base folder");
  return found;
}

function createReporter(rootDir: string, log: ContentLog) {
  // The cache hands out the same outcome until the file changes: seen before means said before.
  const reportedOutcomes = new WeakSet<object>();
  // Holds only names that the operator's own files mention.
  const reportedNames = new Set<string>();

  return {
    outcome: ({ filePath, outcome }: { filePath: string; outcome: FileOutcome<unknown> }): void => {
      if (outcome.state === "present" || reportedOutcomes.has(outcome)) return;
      reportedOutcomes.add(outcome);
      const file = path.relative(rootDir, filePath);
      if (outcome.state === "missing") log.info({ file }, "content file is not there and is left out");
      else log.warn({ file, reason: outcome.reason }, "content file cannot be used and is left out");
    },
    unservableName: ({ file, kind }: { file: string; kind: MediaKind }): void => {
      // A picture is nobody's duty; an audio part without a sound is a slip.
      if ((file === "" && kind === "image") || reportedNames.has(file)) return;
      reportedNames.add(file);
      log.warn(
        file === ""
          ? { file: "audio.json", reason: "names no audio file" }
          : { file, reason: `is not a name of an ${kind} file` },
        "content file cannot be used and is left out",
      );
    },
  };
}

async function checkServable(file: { contentDir: string; filePath: string }): Promise<true> {
  const { handle } = await openContentFile(file);
  await handle.close();
  return true;
}

function parseAudioFile(text: string): AudioFile {
  const result = audioFileSchema.safeParse(parseJson(text));
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`);
    throw new ContentFileError({
      kind: "broken",
      reason: `does not have the right shape (${faults.join("; ")})`,
    });
  }
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the file, and what is gated does not belong into a log.
    throw new ContentFileError({ kind: "broken", reason: "is not valid JSON" });
  }
}
