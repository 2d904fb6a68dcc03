import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";

/**
 * Missing and broken are properties of the file and last until it changes; unreadable (permissions, disk,
 * too many open files) may be over at the next look.
 */
export type ContentFileFault = "missing" | "broken" | "unreadable";

/** Why a file of the content folder cannot be used, in words for the operator's log. */
export class ContentFileError extends Error {
  override readonly name = "ContentFileError";
  readonly kind: ContentFileFault;

  constructor({ kind, reason, cause }: { kind: ContentFileFault; reason: string; cause?: unknown }) {
    super(reason, { cause });
    this.kind = kind;
  }
}

export type OpenedFile = { handle: FileHandle; sizeBytes: number; modifiedNs: bigint };

const canonicalTokenId = /^(?:0|[1-9][0-9]{0,77})$/;

export function isCanonicalTokenId(tokenId: string): boolean {
  return canonicalTokenId.test(tokenId);
}

/** Token ids become folder names: anything but canonical digits here is a defect of the caller. */
export function assertCanonicalTokenId(tokenId: string): void {
  if (!isCanonicalTokenId(tokenId)) throw new TypeError("token id is not a canonical decimal string");
}

export function tokenFolder(contentDir: string, tokenId: string): string {
  assertCanonicalTokenId(tokenId);
  return path.join(contentDir, "tokens", tokenId);
}

export function contentFileError(error: unknown): ContentFileError {
  if (error instanceof ContentFileError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ContentFileError({ kind: "missing", reason: "is not there", cause: error });
  }
  return new ContentFileError({ kind: "unreadable", reason: `cannot be read (${code})`, cause: error });
}

/**
 * Opens a regular file that really lies inside the content folder, wherever symlinks lead. Opening does not
 * wait: a named pipe in the folder is refused and holds nobody up. Whoever calls closes the handle.
 */
export async function openContentFile({
  contentDir,
  filePath,
}: {
  contentDir: string;
  filePath: string;
}): Promise<OpenedFile> {
  let handle: FileHandle | undefined;
  try {
    const [root, target] = await Promise.all([realpath(contentDir), realpath(filePath)]);
    if (!target.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) {
      throw new ContentFileError({ kind: "broken", reason: "leads out of the content folder" });
    }
    handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new ContentFileError({ kind: "broken", reason: "is not a regular file" });
    return { handle, sizeBytes: Number(stats.size), modifiedNs: stats.mtimeNs };
  } catch (error) {
    await handle?.close();
    throw contentFileError(error);
  }
}

/** Reads a text file whole, but never more than `maxBytes` of it, however large it is or grows meanwhile. */
export async function readContentText({
  contentDir,
  filePath,
  maxBytes,
}: {
  contentDir: string;
  filePath: string;
  maxBytes: number;
}): Promise<string> {
  const { handle, sizeBytes } = await openContentFile({ contentDir, filePath });
  try {
    const tooLarge = new ContentFileError({ kind: "broken", reason: `is larger than ${maxBytes} bytes` });
    if (sizeBytes > maxBytes) throw tooLarge;
    const buffer = Buffer.alloc(sizeBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    // One byte more than announced: the file is being written to right now; the next look finds it changed.
    return decodeText(buffer.subarray(0, Math.min(length, sizeBytes)));
  } catch (error) {
    throw contentFileError(error);
  } finally {
    await handle.close();
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ContentFileError({ kind: "broken", reason: "is not UTF-8 text", cause });
  }
}
