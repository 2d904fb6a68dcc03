import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";

type ContentFileFault = {
  /** `unreadable` (permissions, disk, open files) may pass. The others last until the file changes. */
  kind: "missing" | "broken" | "unreadable";
  reason: string;
  cause?: unknown;
};

/** The message is for the operator's log. */
export class ContentFileError extends Error {
  override readonly name = "ContentFileError";
  readonly kind: ContentFileFault["kind"];

  constructor({ kind, reason, cause }: ContentFileFault) {
    super(reason, { cause });
    this.kind = kind;
  }
}

export type OpenedFile = Awaited<ReturnType<typeof openContentFile>>;

/** Canonical digits, after the kind's name and a hyphen for all kinds but the first. */
export function isCanonicalTokenId(tokenId: string): boolean {
  return /^(?:[a-z][a-z0-9-]{0,31}-)?(?:0|[1-9][0-9]{0,77})$/.test(tokenId);
}

/** Token IDs become folder names. */
export function tokenFolder(contentDir: string, tokenId: string): string {
  if (!isCanonicalTokenId(tokenId)) throw new TypeError("token id is not a canonical decimal string");
  return path.join(contentDir, "tokens", tokenId);
}

export function contentFileError(error: unknown): ContentFileError {
  if (error instanceof ContentFileError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return code === "ENOENT" || code === "ENOTDIR"
    ? new ContentFileError({ kind: "missing", reason: "is not there", cause: error })
    : new ContentFileError({ kind: "unreadable", reason: `cannot be read (${code})`, cause: error });
}

/** Opens a regular file inside the content folder, symlinks resolved. Doesn't block on pipes. The caller closes it. */
export async function openContentFile(contentDir: string, filePath: string) {
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

export async function readContentText(
  contentDir: string,
  filePath: string,
  maxBytes: number,
): Promise<string> {
  const { handle, sizeBytes } = await openContentFile(contentDir, filePath);
  try {
    if (sizeBytes > maxBytes) {
      throw new ContentFileError({ kind: "broken", reason: `is larger than ${maxBytes} bytes` });
    }
    return decodeText(await handle.readFile());
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
