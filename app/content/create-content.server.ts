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
  /** Links are signed with what signs access tokens. */
  jwt: Pick<ReturnType<typeof readTokens>, "secret" | "privateKeyPem" | "accessTtlSeconds">;
  log: EventLog;
};

export async function createContent({ contentDir, dataDir, jwt, log }: ContentDependencies) {
  const problem = await describeMissingContent(contentDir);
  if (problem !== null) log.warn({ problem }, "setting is questionable");
  const keyMaterial = jwt.secret ?? jwt.privateKeyPem ?? (await getGeneratedKeyPem(dataDir));
  const links = createMediaLinks({
    key: deriveMediaKey(keyMaterial),
    // As long as the access token that came with them; then the client asks the gate again.
    ttlSeconds: jwt.accessTtlSeconds,
    clock,
  });
  const reader = createContentReader({ contentDir, clock, log });

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
