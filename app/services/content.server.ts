import type { IncomingHttpHeaders } from "node:http";
import { createContentReader } from "~/content/content.server";
import type { ContentReader } from "~/content/content.server";
import type { GatedContent } from "~/content/content.schema";
import { createMediaLinks, deriveMediaKey } from "~/content/media-links.server";
import { serveMedia } from "~/content/media.server";
import { getGeneratedKeyPem } from "~/gate/tokens/token-key-file.server";
import { systemClock } from "~/platform/clock";
import type { Config } from "~/settings.server";
import type { Log } from "~/platform/log.server";

export type ContentServices = {
  /** `mediaOrigin`: where links to media begin, for readers who have no page to resolve them against. */
  readContent: (request: { tokenId: string; mediaOrigin?: string }) => Promise<GatedContent>;
  readOutline: ContentReader["readOutline"];
  serveMedia: (request: MediaRequest) => Promise<Response>;
};

export type MediaRequest = {
  tokenId: string;
  file: string;
  searchParams: URLSearchParams;
  method: string;
  headers: IncomingHttpHeaders;
};

export async function wireContent(config: Config, log: Log): Promise<ContentServices> {
  const { contentDir, dataDir } = config.serving;
  const keyMaterial = config.jwt.secret ?? config.jwt.privateKeyPem ?? (await getGeneratedKeyPem(dataDir));
  const links = createMediaLinks({
    key: deriveMediaKey(keyMaterial),
    // As long as the access token that came with them: whoever needs more asks the gate again.
    ttlSeconds: config.jwt.accessTtlSeconds,
    clock: systemClock,
  });
  const reader = createContentReader({ contentDir, clock: systemClock, log });

  return {
    readContent: ({ tokenId, mediaOrigin = "" }) =>
      reader.readContent({ tokenId, signMediaUrl: (target) => `${mediaOrigin}${links.sign(target)}` }),
    readOutline: reader.readOutline,
    serveMedia: ({ tokenId, file, searchParams, method, headers }) => {
      const { maxAgeSeconds } = links.verify({
        tokenId,
        file,
        exp: searchParams.get("exp"),
        sig: searchParams.get("sig"),
      });
      return serveMedia({
        contentDir,
        tokenId,
        file,
        method,
        maxAgeSeconds,
        range: headers.range ?? null,
        ifRange: headers["if-range"]?.toString() ?? null,
        ifNoneMatch: headers["if-none-match"] ?? null,
        ifModifiedSince: headers["if-modified-since"] ?? null,
      });
    },
  };
}
