import { originHost } from "~/platform/http/domains";
import type { SettingReader } from "./setting-reader";

/** People come to the public origin: where its host is not on the list, nobody of them can sign in. */
export function warnOfForeignOrigin({
  reader,
  publicOrigin,
  domains,
  port,
}: {
  reader: SettingReader;
  publicOrigin: string | null;
  domains: readonly string[] | null;
  port: number;
}): void {
  // Without a list the one domain is localhost and the port, which is known here unless the system chooses it.
  const isPortOpen = domains === null && port === 0;
  // A list that cannot be read is a mistake of its own.
  const isUnread = domains === null && reader.isSet("NEXT_PUBLIC_DOMAIN");
  if (publicOrigin === null || isUnread) return;
  const host = originHost(publicOrigin);
  const isListed = isPortOpen
    ? new URL(publicOrigin).hostname === "localhost"
    : (domains ?? [`localhost:${port}`]).some((domain) => domain === host);
  if (isListed) return;
  reader.warnings.push(
    "PUBLIC_ORIGIN has a host that is not on NEXT_PUBLIC_DOMAIN: nobody can sign in there. Add the host, with its port if it names one.",
  );
}
