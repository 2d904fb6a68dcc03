import { readdirSync } from "node:fs";
import path from "node:path";
import express from "express";
import type { RequestHandler } from "express";

const endings = { br: ".br", gzip: ".gz" };

/** Files for browsers, as the build compressed them. */
export function serveBuiltFiles(folder: string): RequestHandler {
  const kept = new Set(readdirSync(folder, { recursive: true }).map(String));
  const serve = express.static(folder, { immutable: true, maxAge: "1y", index: false });

  return function serveFile(request, response, next) {
    const file = request.path.slice(1);
    if (!kept.has(`${file}${endings.gzip}`)) return serve(request, response, next);
    response.vary("Accept-Encoding");
    const isRead = request.method === "GET" || request.method === "HEAD";
    const encoding = isRead && (request.acceptsEncodings(["br", "gzip"]) as keyof typeof endings | false);
    if (encoding === false) return serve(request, response, next);
    response.set("Content-Encoding", encoding).type(path.extname(file));
    request.url = `/${file}${endings[encoding]}`;
    // The response isn't a file, for example for a missing range.
    serve(request, response, (error) => {
      response.removeHeader("Content-Encoding");
      next(error);
    });
  };
}
