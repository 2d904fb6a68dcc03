import { createContentParts } from "./content-parts.server";
import type { ContentParts, ContentPartsOptions, Room } from "./content-parts.server";
import type { AudioData, GatedContent } from "./content.schema";
import type { MediaKind } from "./media-file";
import type { RoomOutline } from "./room-outline";
import { writeWelcomeText } from "./welcome-text";

export type SignMediaUrl = (target: { tokenId: string; file: string }) => string;

export type ContentReader = {
  readContent: (request: { tokenId: string; signMediaUrl: SignMediaUrl }) => Promise<GatedContent>;
  /** For whoever stands outside: kinds only, of the room that keys without files of their own open. */
  readOutline: () => Promise<RoomOutline>;
};

export type ContentReaderOptions = Pick<ContentPartsOptions, "contentDir" | "clock" | "log"> &
  Partial<Pick<ContentPartsOptions, "recheckMs" | "maxCacheEntries">>;

type OpenedRoom = { parts: ContentParts; room: Room; signMediaUrl: SignMediaUrl };

/** Without an audio.json that can be read. */
const silentAudio: AudioData = {
  headline: "",
  imageSrc: "",
  imageAlt: "",
  description: "",
  title: "",
  audioSrc: "",
  error: true,
};

/**
 * Reads what a holder receives. A part that is missing or broken is empty in the answer and named once in the
 * log, until its file changes. A broken file of one key stays empty for that key: the common one in its place
 * might be what the key was not meant to get.
 */
export function createContentReader({
  recheckMs = 1000,
  maxCacheEntries = 1000,
  ...options
}: ContentReaderOptions): ContentReader {
  const parts = createContentParts({ ...options, recheckMs, maxCacheEntries });

  return {
    readContent: async ({ tokenId, signMediaUrl }) => {
      const room = await parts.openRoom(tokenId);
      const [welcomeText, submissionHtml, audioData, styles, script] = await Promise.all([
        readWelcome({ parts, room, signMediaUrl }),
        parts.findSubmission(room),
        readAudio({ parts, room, signMediaUrl }),
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
    readOutline: () => readOutline(parts),
  };
}

async function readOutline(parts: ContentParts): Promise<RoomOutline> {
  const room = parts.baseRoom;
  const [welcome, submission, audio, script] = await Promise.all([
    parts.findWelcome(room),
    parts.findSubmission(room),
    parts.findAudio(room),
    parts.findScript(room),
  ]);
  const hasSound = audio !== null && (await parts.hasMedia({ room, file: audio.audioSrc, kind: "audio" }));
  return { hasText: welcome !== null, hasSound, hasForm: Boolean(submission), hasScript: Boolean(script) };
}

async function readWelcome({ parts, room, signMediaUrl }: OpenedRoom): Promise<string> {
  const welcome = await parts.findWelcome(room);
  if (!welcome) return "";
  const addresses = await Promise.all(
    welcome.pictures.map(async ({ file }) =>
      (await parts.hasMedia({ room, file, kind: "image" }))
        ? signMediaUrl({ tokenId: room.tokenId, file })
        : null,
    ),
  );
  return writeWelcomeText(welcome, addresses);
}

async function readAudio({ parts, room, signMediaUrl }: OpenedRoom): Promise<AudioData> {
  const audio = await parts.findAudio(room);
  if (!audio) return silentAudio;
  const { tokenId } = room;
  const addressOf = async (file: string, kind: MediaKind) =>
    (await parts.hasMedia({ room, file, kind })) ? signMediaUrl({ tokenId, file }) : "";
  const [audioSrc, imageSrc] = await Promise.all([
    addressOf(audio.audioSrc, "audio"),
    addressOf(audio.imageSrc, "image"),
  ]);
  return { ...audio, audioSrc, imageSrc, error: audioSrc === "" };
}
