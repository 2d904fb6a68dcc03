import { Refusal } from "~/platform/http/refusal";
import type { OpenedBrand } from "./open-brand.server";

/**
 * The operator's picture or the accent's stylesheet. A picture is for `<img>`, where it runs nothing; opened as a
 * page of its own, its policy leaves it as powerless.
 */
export function answerBrandFile(opened: OpenedBrand, version: string, name: string): Response {
  const file = opened.files.get(name);
  if (!file) throw new Refusal("not-found");
  // A page from before a restart may name an older version: it gets what there is now, and may not keep it.
  const cacheControl = version === opened.version ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      "Content-Type": file.contentType,
      "Content-Length": String(file.bytes.length),
      "Cache-Control": cacheControl,
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    },
  });
}
