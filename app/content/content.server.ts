import { baseRoom, createContentParts } from "./content-parts.server";
import type { ContentParts, ContentPartsOptions, Room } from "./content-parts.server";
import { audioFileSchema } from "./content.schema";
import type { AudioData, GatedContent } from "./content.schema";
import type { MediaKind } from "./media-file";
import type { RoomOutline } from "./room-outline";
import { writeWelcomeText } from "./welcome-text";

type ReadRequest = {
  tokenId: string;
  signMediaUrl: (target: { tokenId: string; file: string }) => string;
  /** Names what the links are made of besides key and file. Without it, what was read is not kept. */
  linkVersion?: string;
};

type ContentReaderOptions = Pick<ContentPartsOptions, "contentDir" | "clock" | "log"> &
  Partial<ContentPartsOptions>;

type Kept = { contents: Map<string, GatedContent>; chars: number; sinceMs: number; untilMs: number };

/** Of all kept contents together; their JSON, which is kept with them, is as much again. */
const maxKeptChars = 2 * 1024 * 1024;

/**
 * Reads what a holder receives. A part that is missing or broken is empty in the answer and named once in the
 * log, until its file changes. A broken file of one key stays empty for that key: the common one in its place
 * might be what the key was not meant to get.
 */
export function createContentReader(options: ContentReaderOptions) {
  const { clock, recheckMs = 1000, maxCacheEntries = 1000 } = options;
  // Dropped together, when the first of their files is due to be looked at again.
  let kept: Kept = { contents: new Map(), chars: 0, sinceMs: 0, untilMs: 0 };
  const onLook = (atMs: number) => (kept.untilMs = Math.min(kept.untilMs, atMs + recheckMs));
  const parts = createContentParts({ ...options, recheckMs, maxCacheEntries, onLook });

  return {
    readContent: async ({ tokenId, signMediaUrl, linkVersion }: ReadRequest): Promise<GatedContent> => {
      const nowMs = clock();
      if (nowMs < kept.sinceMs || nowMs >= kept.untilMs || kept.contents.size >= maxCacheEntries) {
        kept = { contents: new Map(), chars: 0, sinceMs: nowMs, untilMs: Infinity };
      }
      const current = kept;
      const name = `${tokenId} ${linkVersion}`;
      const found = current.contents.get(name);
      if (found) return found;
      const room = await parts.openRoom(tokenId);
      /** null: the room has no such file. */
      const addressOf = async (file: string, kind: MediaKind) =>
        (await parts.hasMedia(room, file, kind)) ? signMediaUrl({ tokenId, file }) : null;
      const [welcomeText, submissionHtml, audioData, styles, script] = await Promise.all([
        readWelcome(parts, room, addressOf),
        parts.findSubmission(room),
        readAudio(parts, room, addressOf),
        parts.findStyles(room),
        parts.findScript(room),
      ]);
      const content = Object.freeze({
        welcomeText,
        textSubmissionAreaHtml: submissionHtml ?? "",
        audioData,
        styles: styles ?? "",
        script: script ?? "",
      });
      if (linkVersion !== undefined) keep(current, name, content);
      return content;
    },
    /** For visitors outside: only the kinds in the room of keys without files of their own. */
    readOutline: async (): Promise<RoomOutline> => {
      const [welcome, submission, audio, script] = await Promise.all([
        parts.findWelcome(baseRoom),
        parts.findSubmission(baseRoom),
        parts.findAudio(baseRoom),
        parts.findScript(baseRoom),
      ]);
      const hasSound = audio !== null && (await parts.hasMedia(baseRoom, audio.audioSrc, "audio"));
      const [hasForm, hasScript] = [Boolean(submission), Boolean(script)];
      return { hasText: welcome !== null, hasSound, hasForm, hasScript };
    },
  };
}

function keep(kept: Kept, name: string, content: GatedContent): void {
  const { welcomeText, textSubmissionAreaHtml, styles, script } = content;
  const chars = welcomeText.length + textSubmissionAreaHtml.length + styles.length + script.length;
  if (kept.chars + chars > maxKeptChars) return;
  kept.chars += chars;
  kept.contents.set(name, content);
}

type AddressOf = (file: string, kind: MediaKind) => Promise<string | null>;

async function readWelcome(parts: ContentParts, room: Room, addressOf: AddressOf): Promise<string> {
  const welcome = await parts.findWelcome(room);
  if (!welcome) return "";
  const addresses = await Promise.all(welcome.pictures.map(({ file }) => addressOf(file, "image")));
  return writeWelcomeText(welcome, addresses);
}

async function readAudio(parts: ContentParts, room: Room, addressOf: AddressOf): Promise<AudioData> {
  const audio = await parts.findAudio(room);
  if (!audio) return { ...audioFileSchema.parse({}), error: true };
  const [audioSrc, imageSrc] = await Promise.all([
    addressOf(audio.audioSrc, "audio"),
    addressOf(audio.imageSrc, "image"),
  ]);
  return { ...audio, audioSrc: audioSrc ?? "", imageSrc: imageSrc ?? "", error: audioSrc === null };
}
