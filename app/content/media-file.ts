/** The media route sends no other kinds of files. */
const contentTypes = {
  aac: "audio/aac",
  flac: "audio/flac",
  m4a: "audio/mp4",
  mp3: "audio/mpeg",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  wav: "audio/wav",
  weba: "audio/webm",
  avif: "image/avif",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
  webp: "image/webp",
} as const satisfies Record<string, `${MediaKind}/${string}`>;

export type MediaKind = "audio" | "image";

const maxFileNameCharacters = 200;
const forbiddenCharacters = /[\p{Cc}\p{Surrogate}\\:]/u;

/** Null if the media route may not serve the file. */
export function findMediaType(file: string): string | null {
  if (file.length > maxFileNameCharacters || forbiddenCharacters.test(file)) return null;
  const segments = file.split("/");
  if (segments.some((segment) => segment === "" || segment.startsWith("."))) return null;
  // The base folder must not lead to another key's folder.
  if (segments.length > 1 && segments[0]?.toLowerCase() === "tokens") return null;
  const extension = /[^/]\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(contentTypes, extension) ? contentTypes[extension as keyof typeof contentTypes] : null;
}

export function isMediaFile(file: string, kind: MediaKind): boolean {
  return findMediaType(file)?.startsWith(`${kind}/`) ?? false;
}
