import * as z from "zod";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";

const tag = "Content";

const bytes = { type: "string", format: "binary" } as const;
const mediaContent = { "audio/*": { schema: bytes }, "image/*": { schema: bytes } };
const etag = "ETag" as const;

export function describeContent(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "Files of the room, and the frame that its script runs in." });
  api.describe(getMediaOperation);
  api.describe(getSandboxOperation);
}

function header(description: string, example: string, pattern?: string) {
  const schema = { type: "string" as const, ...(pattern !== undefined && { pattern }) };
  return { description, required: true, schema, example };
}

const ownHeaders = {
  "Last-Modified": header("When the file was last changed.", "Thu, 15 Jan 2026 09:30:00 GMT"),
  "Accept-Ranges": header("Parts can be asked for.", "bytes"),
};
const withRange = (example: string) => ({
  ...ownHeaders,
  "Content-Range": header(
    "Which part this is, and how large the whole file.",
    example,
    "^bytes (\\d+-\\d+|\\*)/\\d+$",
  ),
});

export const getMediaOperation: OperationDescription = {
  method: "get",
  path: "/media/{tokenId}/{file}",
  operationId: "getMedia",
  tag,
  summary: "Play or show a file of the room",
  description:
    "The addresses come with the content, signed for one key and for a short time; they cannot be made up. `file` may hold slashes. Range requests and conditional requests work.",
  parameters: {
    params: z.object({
      tokenId: z
        .string()
        .meta({ description: "The key the address was signed for.", param: { example: "42" } }),
      file: z.string().meta({ description: "The name of the file.", param: { example: "lamp-room.wav" } }),
    }),
    query: z.object({
      exp: z.string().meta({
        description: "When the address ends, in seconds since the epoch.",
        param: { example: "1768470300" },
      }),
      sig: z.string().meta({
        description: "The signature over the rest of the address.",
        param: { example: "R0w1aJrYcQ8vB3nKd5sT7uXfGzLeWoHiCqMbAYp6m2h" },
      }),
    }),
    headers: z.object({
      Range: z
        .string()
        .optional()
        .meta({ description: "One range of bytes.", param: { example: "bytes=0-1023" } }),
    }),
  },
  refusals: ["media-link-invalid", "not-found"],
  answers: {
    200: { description: "The whole file.", headers: [etag], ownHeaders, content: mediaContent },
    206: {
      description: "The part that was asked for.",
      headers: [etag],
      ownHeaders: withRange("bytes 0-1023/330044"),
      content: mediaContent,
    },
    304: { description: "Your copy is still good.", headers: [etag], ownHeaders },
    416: {
      description: "The file ends before the range begins.",
      headers: [etag, "X-Problem"],
      ownHeaders: withRange("bytes */330044"),
    },
  },
};

export const getSandboxOperation: OperationDescription = {
  method: "get",
  path: "/sandbox",
  operationId: "getSandbox",
  tag,
  summary: "Get the frame that the room's script runs in",
  description:
    'For a frame with `sandbox="allow-scripts"` on a page of this gate. The same for everybody, and empty: the page hands the script over by postMessage.',
  answers: {
    200: {
      description: "An HTML document with a policy of its own, which lets nothing out.",
      ownHeaders: {
        "Content-Security-Policy": header(
          "Forbids everything but the frame's own inline script and styles.",
          "default-src 'none'; script-src 'unsafe-inline'; sandbox allow-scripts",
        ),
      },
      content: {
        "text/html": { schema: { type: "string" }, example: "<!doctype html><title>Room</title>" },
      },
    },
  },
};
