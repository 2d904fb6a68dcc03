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

/** Maximum bytes of a part's file. Larger ones are omitted. */
export const contentPartLimits = {
  "welcome.md": 256 * 1024,
  "submission.html": 64 * 1024,
  "audio.json": 16 * 1024,
  "styles.css": 128 * 1024,
  "script.js": 256 * 1024,
} as const;

/** Per part, for all keys together. */
const maxCacheBytesPerPart = 8 * 1024 * 1024;

type LogLine = (fields: Record<string, unknown>, message: string) => void;

/** A key's files are in its own folder, if it has one, then in the base folder. */
export type Room = { tokenId: string; ownFolder: string | null };
/** For keys without files of their own. */
export const baseRoom: Room = { tokenId: "", ownFolder: null };

export type ContentPartsOptions = {
  contentDir: string;
  clock: Clock;
  log: { info: LogLine; warn: LogLine };
  recheckMs: number;
  /** Per part. Missing files are entries, too. */
  maxCacheEntries: number;
};

export type ContentParts = ReturnType<typeof createContentParts>;

/** The operator's files. Each is read, and its faults logged, once per change. */
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

  /** Falls back to the base folder only if the key's own file is missing, not if it is broken. */
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
    // Most keys have no folder of their own.
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
  // The cache returns the same object until the file changes.
  const reportedOutcomes = new WeakSet<object>();
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
      // A picture is optional, a sound isn't.
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
    // The parser's message quotes the file, which is gated.
    throw new ContentFileError({ kind: "broken", reason: "is not valid JSON" });
  }
}
