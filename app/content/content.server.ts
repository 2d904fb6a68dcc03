import { createContentParts, openBaseRoom } from "./content-parts.server";
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

/** One object serves many requests. */
type KeptContent = { content: Readonly<GatedContent>; lookedAtMs: number };

/** Of all that is kept as JSON, about; it lasts a second. */
const maxKeptCharacters = 4 * 1024 * 1024;

type ContentReaderOptions = Pick<ContentPartsOptions, "contentDir" | "clock" | "log"> &
  Partial<ContentPartsOptions>;

/**
 * Reads what a holder receives. A part that is missing or broken is empty in the answer and named once in the
 * log, until its file changes. A broken file of one key stays empty for that key: the common one in its place
 * might be what the key was not meant to get.
 */
export function createContentReader(options: ContentReaderOptions) {
  const { clock, recheckMs = 1000 } = options;
  const parts = createContentParts({ maxCacheEntries: 1000, ...options, recheckMs });
  const kept = new Map<string, KeptContent>();
  let keptCharacters = 0;

  /** Until the first of its files is due to be looked at again. */
  function keep(name: string, found: KeptContent): void {
    keptCharacters += writeContentJson(found.content).length;
    if (keptCharacters > maxKeptCharacters) {
      kept.clear();
      keptCharacters = 0;
    }
    kept.set(name, found);
  }

  return {
    readContent: async ({ tokenId, signMediaUrl, linkVersion }: ReadRequest): Promise<GatedContent> => {
      const name = `${tokenId} ${linkVersion}`;
      const known = kept.get(name);
      const ageMs = known ? clock() - known.lookedAtMs : -1;
      if (known && ageMs >= 0 && ageMs < recheckMs) return known.content;
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
      if (linkVersion !== undefined) keep(name, { content, lookedAtMs: room.lookedAtMs });
      return content;
    },
    /** For whoever stands outside: kinds only, of the room that keys without files of their own open. */
    readOutline: async (): Promise<RoomOutline> => {
      const baseRoom = openBaseRoom();
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

const contentTexts = new WeakMap<GatedContent, string>();

/** Written once for all answers with it. */
export function writeContentJson(content: GatedContent): string {
  const known = contentTexts.get(content);
  if (known !== undefined) return known;
  const text = JSON.stringify(content);
  contentTexts.set(content, text);
  return text;
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
