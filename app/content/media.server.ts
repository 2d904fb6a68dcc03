import type { FileHandle } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import path from "node:path";
import { Refusal, refusalTable } from "~/platform/refusals/refusal";
import { ContentFileError, isCanonicalTokenId, openContentFile, tokenFolder } from "./content-files.server";
import type { OpenedFile } from "./content-files.server";
import { findMediaType } from "./media-file";
import type { MediaLinks } from "./media-links.server";
import { isUnchanged, mayUseRange, readRange } from "./media-range";
import type { ByteRange, MediaConditions, MediaVersion } from "./media-range";

const chunkBytes = 64 * 1024;
/** An SVG that is opened as a page can do nothing. */
const svgPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

type MediaRequest = MediaConditions & {
  contentDir: string;
  tokenId: string;
  file: string;
  method: string;
  range: string | null;
  /** Until the link expires. */
  maxAgeSeconds: number;
};

export function readMediaConditions(
  headers: IncomingHttpHeaders,
): MediaConditions & { range: string | null } {
  return {
    range: headers.range ?? null,
    ifRange: headers["if-range"]?.toString() ?? null,
    ifNoneMatch: headers["if-none-match"] ?? null,
    ifModifiedSince: headers["if-modified-since"] ?? null,
  };
}

export type LinkedRequest = Omit<MediaRequest, "contentDir" | "maxAgeSeconds"> & { link: URLSearchParams };

export async function serveLinkedMedia(
  { link, ...request }: LinkedRequest,
  { contentDir, links }: { contentDir: string; links: Pick<MediaLinks, "verify"> },
): Promise<Response> {
  const { tokenId, file } = request;
  const signed = { tokenId, file, exp: link.get("exp"), sig: link.get("sig") };
  return serveMedia({ ...request, contentDir, maxAgeSeconds: links.verify(signed).maxAgeSeconds });
}

/** For a verified link. The key's own folder comes first. */
export async function serveMedia(request: MediaRequest): Promise<Response> {
  const contentType = findMediaType(request.file);
  if (contentType === null || !isCanonicalTokenId(request.tokenId)) throw new Refusal("not-found");
  const opened = await openMedia(request);
  const version = versionOf(opened);
  const headers = new Headers({
    "Accept-Ranges": "bytes",
    "Cache-Control": `private, max-age=${request.maxAgeSeconds}`,
    "Content-Disposition": "inline",
    "Content-Type": contentType,
    ETag: version.etag,
    "Last-Modified": new Date(version.modifiedSeconds * 1000).toUTCString(),
    "X-Content-Type-Options": "nosniff",
  });
  if (contentType === "image/svg+xml") headers.set("Content-Security-Policy", svgPolicy);

  const plan = planResponse(request, version, opened.sizeBytes);
  if (plan.contentRange) headers.set("Content-Range", plan.contentRange);
  if (plan.status === 304 || plan.status === 416) {
    headers.delete("Content-Type");
    if (plan.status === 416) {
      headers.set("Content-Length", "0");
      headers.set("X-Problem", refusalTable["range-not-satisfiable"].slug);
    }
  } else {
    headers.set("Content-Length", String(plan.endByte + 1 - plan.startByte));
  }
  const hasBody = plan.endByte >= plan.startByte && request.method !== "HEAD";
  if (!hasBody) {
    await opened.handle.close();
    return new Response(null, { status: plan.status, headers });
  }
  return new Response(streamFile(opened.handle, plan), { status: plan.status, headers });
}

type Plan = { status: 200 | 206 | 304 | 416; startByte: number; endByte: number; contentRange?: string };

function planResponse(request: MediaRequest, version: MediaVersion, sizeBytes: number): Plan {
  const nothing = { startByte: 0, endByte: -1 };
  if (isUnchanged(request, version)) return { ...nothing, status: 304 };
  const whole: Plan = { status: 200, startByte: 0, endByte: sizeBytes - 1 };
  // HEAD describes the whole file.
  if (request.method !== "GET" || request.range === null || !mayUseRange(request, version)) return whole;
  const range = readRange(request.range, sizeBytes);
  if (range === "whole") return whole;
  if (range === "unsatisfiable") return { ...nothing, status: 416, contentRange: `bytes */${sizeBytes}` };
  return { ...range, status: 206, contentRange: `bytes ${range.startByte}-${range.endByte}/${sizeBytes}` };
}

function versionOf({ sizeBytes, modifiedNs }: OpenedFile): MediaVersion {
  return {
    etag: `"${sizeBytes.toString(16)}-${modifiedNs.toString(16)}"`,
    modifiedSeconds: Number(modifiedNs / 1_000_000_000n),
  };
}

async function openMedia({ contentDir, tokenId, file }: MediaRequest): Promise<OpenedFile> {
  for (const folder of [tokenFolder(contentDir, tokenId), contentDir]) {
    try {
      return await openContentFile(contentDir, path.join(folder, file));
    } catch (error) {
      // A disk error doesn't mean that the file is missing.
      if (!(error instanceof ContentFileError) || error.kind === "unreadable") throw error;
      // A key's broken file must not be replaced by the common one.
      if (error.kind === "broken") throw new Refusal("not-found", { cause: error });
    }
  }
  throw new Refusal("not-found");
}

/** Reads as fast as the client, and closes the handle. A file that was truncated meanwhile breaks the connection. */
function streamFile(handle: FileHandle, range: ByteRange): ReadableStream<Uint8Array> {
  let position = range.startByte;
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      try {
        const wanted = Math.min(chunkBytes, range.endByte + 1 - position);
        const { bytesRead, buffer } = await handle.read(new Uint8Array(wanted), 0, wanted, position);
        if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
        position += bytesRead;
        controller.enqueue(buffer.subarray(0, bytesRead));
        if (position <= range.endByte) return;
      } catch (error) {
        await handle.close();
        throw error;
      }
      await handle.close();
      controller.close();
    },
    cancel: () => handle.close(),
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
