import { getGeneratedKeyPem } from "~/gate/tokens/token-keys.server";
import type { readTokens } from "~/gate/tokens/tokens.settings";
import { describeMissingContent } from "~/platform/instance/folders.server";
import type { EventLog } from "~/platform/log/log.server";
import { systemClock as clock } from "~/platform/time/clock";
import { createContentReader } from "./content.server";
import { createMediaLinks, deriveMediaKey } from "./media-links.server";
import { serveLinkedMedia } from "./media.server";
import type { LinkedRequest } from "./media.server";

type ContentDependencies = {
  contentDir: string;
  dataDir: string;
  /** The token key also signs links. */
  jwt: Pick<ReturnType<typeof readTokens>, "secret" | "privateKeyPem" | "accessTtlSeconds">;
  log: EventLog;
};

export async function createContent({ contentDir, dataDir, jwt, log }: ContentDependencies) {
  const problem = await describeMissingContent(contentDir);
  if (problem !== null) log.warn({ problem }, "setting is questionable");
  const keyMaterial = jwt.secret ?? jwt.privateKeyPem ?? (await getGeneratedKeyPem(dataDir));
  const links = createMediaLinks({
    key: deriveMediaKey(keyMaterial),
    // As long as an access token.
    ttlSeconds: jwt.accessTtlSeconds,
    clock,
  });
  const reader = createContentReader({ contentDir, clock, log });

  return {
    /** `mediaOrigin` makes links absolute, for clients without a page. */
    readContent: ({ tokenId, mediaOrigin = "" }: { tokenId: string; mediaOrigin?: string }) =>
      reader.readContent({
        tokenId,
        signMediaUrl: (target) => `${mediaOrigin}${links.sign(target)}`,
      }),
    readOutline: reader.readOutline,
    serveMedia: (request: LinkedRequest) => serveLinkedMedia(request, { contentDir, links }),
  };
}
