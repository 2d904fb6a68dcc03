import * as z from "zod";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";

const tag = "Appearance";
const bytes = { type: "string", format: "binary" } as const;
const text = { type: "string" } as const;

const icon = {
  src: z.string(),
  sizes: z.string(),
  type: z.string(),
  purpose: z.literal("maskable").optional(),
};
const manifestSchema = z
  .object({
    id: z.string(),
    name: z.string().describe("The name of this place."),
    short_name: z.string(),
    description: z.string().optional(),
    lang: z.string().optional(),
    start_url: z.string(),
    scope: z.string(),
    display: z.literal("standalone"),
    background_color: z.string(),
    theme_color: z.string(),
    icons: z.array(z.object(icon)),
    shortcuts: z.array(z.object({ name: z.string(), url: z.string() })),
  })
  .meta({ id: "WebManifest", description: "A web application manifest, as the W3C describes it." });

export function describeBrand(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "How this place looks, and what a device keeps of it." });
  api.describe(getManifestOperation);
  api.describe(getServiceWorkerOperation);
  api.describe(getBrandFileOperation);
}

export const getManifestOperation: OperationDescription = {
  method: "get",
  path: "/manifest.webmanifest",
  operationId: "getManifest",
  tag,
  summary: "Read what a home screen shows",
  description: "Name, colours and icons, as the operator has set them.",
  answers: {
    200: {
      description: "The manifest.",
      content: {
        "application/manifest+json": {
          schema: manifestSchema,
          example: {
            id: "/",
            name: "Latchkey",
            short_name: "Latchkey",
            start_url: "/",
            scope: "/",
            display: "standalone",
            background_color: "#163a35",
            theme_color: "#163a35",
            icons: [{ src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" }],
            shortcuts: [{ name: "The room", url: "/gate" }],
          },
        },
      },
    },
  },
};

export const getServiceWorkerOperation: OperationDescription = {
  method: "get",
  path: "/sw.js",
  operationId: "getServiceWorker",
  tag,
  summary: "Load the service worker",
  description:
    "Keeps the page that says one is offline, and nothing else. Where the operator wants none, a worker that takes itself back.",
  answers: {
    200: {
      description: "The script.",
      content: { "text/javascript": { schema: text, example: '"use strict";' } },
    },
  },
};

const file = {
  "image/*": { schema: bytes },
  "text/css": { schema: text, example: ":root{--accent:#1f4d46}" },
};

export const getBrandFileOperation: OperationDescription = {
  method: "get",
  path: "/brand/{version}/{file}",
  operationId: "getBrandFile",
  tag,
  summary: "Load the operator's logo, icon or accent",
  description: "Addresses stand in the pages. They change with the files, and may be kept for as long.",
  parameters: {
    params: z.object({
      version: z.string().meta({ description: "Of the whole look.", param: { example: "9f86d081884c7d65" } }),
      file: z.string().meta({ description: "The name of the file.", param: { example: "logo.svg" } }),
    }),
  },
  refusals: ["not-found"],
  answers: { 200: { description: "The file.", content: file } },
};
