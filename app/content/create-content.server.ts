import { createContentReader } from "~/content/content.server";
import { createMediaLinks, deriveMediaKey } from "~/content/media-links.server";
import { serveLinkedMedia } from "~/content/media.server";
import type { LinkedRequest } from "~/content/media.server";
import { getGeneratedKeyPem } from "~/gate/tokens/token-key-file.server";
import { systemClock } from "~/platform/time/clock";
import { describeMissingContent } from "~/platform/instance/folders.server";
import type { Foundation } from "~/services/foundation.server";

export type ContentServices = Awaited<ReturnType<typeof wireContent>>;

export async function wireContent({ config, log }: Foundation) {
  const { contentDir, dataDir } = config.serving;
  const problem = await describeMissingContent(contentDir);
  if (problem !== null) log.warn({ problem }, "setting is questionable");
  const keyMaterial = config.jwt.secret ?? config.jwt.privateKeyPem ?? (await getGeneratedKeyPem(dataDir));
  const links = createMediaLinks({
    key: deriveMediaKey(keyMaterial),
    // As long as the access token that came with them; then the client asks the gate again.
    ttlSeconds: config.jwt.accessTtlSeconds,
    clock: systemClock,
  });
  const reader = createContentReader({ contentDir, clock: systemClock, log });

  return {
    /** `mediaOrigin`: where links to media begin, for readers who have no page to resolve them against. */
    readContent: ({ tokenId, mediaOrigin = "" }: { tokenId: string; mediaOrigin?: string }) =>
      reader.readContent({
        tokenId,
        signMediaUrl: (target) => `${mediaOrigin}${links.sign(target)}`,
        linkVersion: `${mediaOrigin} ${links.findExpiry()}`,
      }),
    readOutline: reader.readOutline,
    serveMedia: (request: LinkedRequest) => serveLinkedMedia(request, { contentDir, links }),
  };
}
