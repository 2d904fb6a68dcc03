import path from "node:path";
import type { Clock } from "~/platform/time/clock";
import { ContentFileError, openContentFile, readContentText, tokenFolder } from "./content-files.server";
import { audioFileSchema } from "./content.schema";
import type { AudioFile } from "./content.schema";
import { createFileCache } from "./file-cache.server";
import type { FileCache, FileOutcome } from "./file-cache.server";
import { isMediaFile } from "./media-file";
import type { MediaKind } from "./media-file";
import { sanitizeSubmissionHtml } from "./submission-html.server";
import { parseWelcomeText } from "./welcome-text";

/** Limit of a part's file. A larger one is omitted, so that a mistake cannot fill the memory. */
export const contentPartLimits = {
  "welcome.md": 256 * 1024,
  "submission.html": 64 * 1024,
  "audio.json": 16 * 1024,
  "styles.css": 128 * 1024,
  "script.js": 256 * 1024,
} as const;

/** Upper bound of what the cache of one part holds, over all keys with files of their own. */
const maxCacheBytesPerPart = 8 * 1024 * 1024;

type LogLine = (fields: Record<string, unknown>, message: string) => void;

/** Where the files of one key are looked for: in its own folder, if there is one, then in the base folder. */
export type Room = { tokenId: string; ownFolder: string | null };
/** What every key without files of its own gets. */
export const baseRoom: Room = { tokenId: "", ownFolder: null };

export type ContentPartsOptions = {
  contentDir: string;
  clock: Clock;
  log: { info: LogLine; warn: LogLine };
  /** A file is looked at again at most this often. */
  recheckMs: number;
  /** For each part: a file that is cached, one known not to be there included, is one entry. */
  maxCacheEntries: number;
};

export type ContentParts = ReturnType<typeof createContentParts>;

/** The operator's files, each read again only after a change, and reported once until then. */
export function createContentParts(options: ContentPartsOptions) {
  const { clock, recheckMs, maxCacheEntries: maxEntries } = options;
  const rootDir = path.resolve(options.contentDir);
  const report = createReporter(rootDir, options.log);
  const limits = { clock, recheckMs, maxEntries, maxBytes: maxCacheBytesPerPart };
  const folders = createFileCache({ ...limits, load: () => Promise.resolve(true), weigh: () => 0 });
  const media = createFileCache({ ...limits, load: checkServable, weigh: () => 0 });

  async function checkServable(filePath: string): Promise<true> {
    const { handle } = await openContentFile(rootDir, filePath);
    await handle.close();
    return true;
  }

  /** A file in the key's own folder counts even when it is broken; only one that is not there is looked for further. */
  async function findFirst<Value>(
    { ownFolder }: Room,
    file: string,
    cache: FileCache<Value>,
  ): Promise<Value | null> {
    let filePath = path.join(ownFolder ?? rootDir, file);
    let outcome = await cache.get(filePath);
    if (outcome.state === "missing" && ownFolder !== null) {
      filePath = path.join(rootDir, file);
      outcome = await cache.get(filePath);
    }
    if (outcome.state === "present") return outcome.value;
    report.outcome(filePath, outcome);
    return null;
  }

  function partFinder<Value>(name: keyof typeof contentPartLimits, parse: (text: string) => Value) {
    const cache = createFileCache<Value>({
      ...limits,
      load: async (filePath) => parse(await readContentText(rootDir, filePath, contentPartLimits[name])),
      weigh: (value) => 2 * JSON.stringify(value).length,
    });
    return (room: Room) => findFirst(room, name, cache);
  }

  return {
    // Most keys have no folder of their own: one cached answer spares looking for each part in it.
    openRoom: async (tokenId: string): Promise<Room> => {
      const ownFolder = tokenFolder(rootDir, tokenId);
      const { state } = await folders.get(ownFolder);
      return { tokenId, ownFolder: state === "missing" ? null : ownFolder };
    },
    findWelcome: partFinder("welcome.md", parseWelcomeText),
    findSubmission: partFinder("submission.html", sanitizeSubmissionHtml),
    findAudio: partFinder("audio.json", parseAudioFile),
    findStyles: partFinder("styles.css", (text) => text),
    findScript: partFinder("script.js", (text) => text),
    hasMedia: async (room: Room, file: string, kind: MediaKind): Promise<boolean> => {
      if (isMediaFile(file, kind)) return (await findFirst(room, file, media)) !== null;
      report.unservableName(file, kind);
      return false;
    },
  };
}

function createReporter(rootDir: string, log: ContentPartsOptions["log"]) {
  // The cache hands out the same outcome until the file changes: seen before means said before.
  const reportedOutcomes = new WeakSet<object>();
  // Holds only names that the operator's own files mention.
  const reportedNames = new Set<string>();
  const unusable = "content file unusable; it is omitted";

  return {
    outcome(filePath: string, outcome: Exclude<FileOutcome<unknown>, { state: "present" }>): void {
      if (reportedOutcomes.has(outcome)) return;
      reportedOutcomes.add(outcome);
      const file = path.relative(rootDir, filePath);
      if (outcome.state === "missing") log.info({ file }, "content file missing; it is omitted");
      else log.warn({ file, reason: outcome.reason }, unusable);
    },
    unservableName(file: string, kind: MediaKind): void {
      // A picture is optional; an audio part without a sound is a mistake.
      if ((file === "" && kind === "image") || reportedNames.has(file)) return;
      reportedNames.add(file);
      if (file === "") log.warn({ file: "audio.json", reason: "names no audio file" }, unusable);
      else log.warn({ file, reason: `is not the name of an ${kind} file` }, unusable);
    },
  };
}

function parseAudioFile(text: string): AudioFile {
  const result = audioFileSchema.safeParse(parseJson(text));
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`);
  const reason = `does not have the right shape (${faults.join("; ")})`;
  throw new ContentFileError({ kind: "broken", reason });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the file, and what is gated does not belong into a log.
    throw new ContentFileError({ kind: "broken", reason: "is not valid JSON" });
  }
}
