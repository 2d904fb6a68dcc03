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
};

type ContentReaderOptions = Pick<ContentPartsOptions, "contentDir" | "clock" | "log"> &
  Partial<ContentPartsOptions>;

/**
 * Reads a holder's content. A missing or broken part is empty, and named once in the log until its file changes. A broken
 * file of one key stays empty for that key: it must not get the common one instead.
 */
export function createContentReader(options: ContentReaderOptions) {
  const { recheckMs = 1000, maxCacheEntries = 1000 } = options;
  const parts = createContentParts({ ...options, recheckMs, maxCacheEntries });

  return {
    readContent: async ({ tokenId, signMediaUrl }: ReadRequest): Promise<GatedContent> => {
      const room = await parts.openRoom(tokenId);
      const addressOf = async (file: string, kind: MediaKind) =>
        (await parts.hasMedia(room, file, kind)) ? signMediaUrl({ tokenId, file }) : null;
      const [welcomeText, submissionHtml, audioData, styles, script] = await Promise.all([
        readWelcome(parts, room, addressOf),
        parts.findSubmission(room),
        readAudio(parts, room, addressOf),
        parts.findStyles(room),
        parts.findScript(room),
      ]);
      return {
        welcomeText,
        textSubmissionAreaHtml: submissionHtml ?? "",
        audioData,
        styles: styles ?? "",
        script: script ?? "",
      };
    },
    /** For visitors outside. */
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

/** Null if the room has no such file. */
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
