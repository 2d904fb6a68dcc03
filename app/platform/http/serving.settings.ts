import path from "node:path";
import { defaultDataDir, defaultPort } from "~/platform/config/environment-file.mjs";
import { flag, integer, oneOf, requireUrl, setting, splitList, text } from "~/platform/config/kinds";
import { ownSecret } from "~/platform/config/secret-strength";
import { InvalidSetting } from "~/platform/config/setting";
import type { Mode, ValuesOf } from "~/platform/config/setting";
import { modeSetting } from "~/platform/config/setting-reader";
import type { SettingReader } from "~/platform/config/setting-reader";
import { compileTrust, maxTrustedHops } from "./client-id.server";
import { isLoopbackName, originHost, parseDomainAllowlist } from "~/platform/config/domains";

const maxWorkers = 64;
const workersRange = `1 to ${maxWorkers}, or \`auto\``;

export const servingSettings = {
  mode: modeSetting,
  host: text(
    "HOST",
    { default: "127.0.0.1", range: "IP address or host name" },
    "Where the server listens: unless it is set, only for a proxy on the same machine. The image sets 0.0.0.0.",
  ),
  port: integer(
    "PORT",
    { min: 0, max: 65_535, default: defaultPort },
    "Port the server listens on; 0 takes a free one.",
  ),
  /** app/commands/start.mjs reads it before anything else. */
  workers: setting(
    "WORKERS",
    { parse: parseWorkers, default: "1", range: workersRange },
    "How many server processes `npm start` runs on the port; `auto`: one for each core.",
  ),
  publicOrigin: setting(
    "PUBLIC_ORIGIN",
    { parse: (given, { mode }) => parseOrigin(given, mode), range: "https:// or http:// origin" },
    "The service's own origin, as people's browsers see it. Default: https:// and the first domain, http:// for localhost and loopback names.",
  ),
  /** null: localhost and the actual port. */
  domains: setting(
    "NEXT_PUBLIC_DOMAIN",
    { parse: parseDomains, range: "`host` or `host:port`, comma-separated" },
    "Domains the gate answers to and accepts signatures for. Default: localhost and the port the server listens on.",
  ),
  corsOrigins: setting(
    "CORS_ORIGINS",
    {
      parse: (given, { mode }) => parseOrigins(given, mode),
      range: "https:// or http:// origins, comma-separated",
      switches: { name: "Pages of other sites may call the API" },
    },
    "Further origins whose pages may call the API, besides those on the domain list; in production https:// ones, or loopback.",
  ),
  trustProxy: setting(
    "TRUST_PROXY",
    {
      parse: parseTrust,
      range: `0 to ${maxTrustedHops} hops, or addresses, ranges and names such as \`loopback\`, comma-separated`,
      switches: { name: "Trusted proxies", off: "behind a proxy, all visitors would look like one" },
    },
    "Proxies whose X-Forwarded-For and X-Forwarded-Host count, in Express syntax. Default: none.",
  ),
  dataDir: setting(
    "DATA_DIR",
    { parse: (given) => path.resolve(given), range: "path", default: defaultDataDir },
    "Folder for the embedded database and generated keys.",
  ),
  contentDir: setting(
    "CONTENT_DIR",
    { parse: (given) => path.resolve(given), range: "path", default: "content" },
    "Folder with what holders receive and what the search finds: your own, docs/content.md.",
  ),
  logLevel: oneOf(
    "LOG_LEVEL",
    { of: ["trace", "debug", "info", "warn", "error", "silent"], default: "info" },
    "How much is logged.",
  ),
  logFormat: oneOf(
    "LOG_FORMAT",
    { of: ["text", "json"] },
    "A line of text for people, or a JSON object a line for programs. Default: `text` in a terminal, else `json`.",
  ),
  metricsPort: integer(
    "METRICS_PORT",
    { min: 0, max: 65_535 },
    "Serves /metrics on a port of its own, on the loopback address, instead of the public one.",
  ),
  metricsToken: ownSecret(
    "METRICS_TOKEN",
    { switches: { name: "Metrics" } },
    "Bearer token for /metrics on the public port. Without it and METRICS_PORT there is no /metrics.",
  ),
  openApiEnabled: flag(
    "OPENAPI_ENABLED",
    { default: true, switches: { name: "API description" } },
    "Serves the API description at /api/openapi and the reference at /docs.",
  ),
};

export function readServing(reader: SettingReader) {
  const { mode: _, ...values } = reader.read(servingSettings);
  if (reader.mode === "production" && !reader.isSet(servingSettings.domains)) {
    reader.warn(servingSettings.domains, "is not set: only localhost can sign in.");
  }
  warnOfForeignOrigin(reader, values);
  const { metricsPort, metricsToken } = values;
  let why = "On a port of their own (METRICS_PORT).";
  if (metricsPort === null) {
    why = metricsToken
      ? "At /metrics, with METRICS_TOKEN."
      : "Neither METRICS_TOKEN nor METRICS_PORT is set.";
  }
  reader.setSwitch(servingSettings.metricsToken, metricsPort !== null || metricsToken !== null, why);
  return { ...values, corsOrigins: values.corsOrigins ?? [] };
}

/** Nobody can sign in if the list lacks the public origin's host. */
function warnOfForeignOrigin(
  reader: SettingReader,
  { publicOrigin, domains, port }: Omit<ValuesOf<typeof servingSettings>, "mode">,
): void {
  // An unreadable list is reported separately.
  if (publicOrigin === null || (domains === null && reader.isSet(servingSettings.domains))) return;
  // Without a list the only domain is localhost and the port, unless the system chooses the port.
  const isPortOpen = domains === null && port === 0;
  const isListed = isPortOpen
    ? new URL(publicOrigin).hostname === "localhost"
    : (domains ?? [`localhost:${port}`]).includes(originHost(publicOrigin)!);
  if (isListed) return;
  reader.warn(
    servingSettings.publicOrigin,
    "has a host that is not on NEXT_PUBLIC_DOMAIN: nobody can sign in there. Add the host, with its port if it names one.",
  );
}

function parseWorkers(given: string): number | "auto" {
  if (/^auto$/i.test(given)) return "auto";
  const count = /^\d{1,2}$/.test(given) ? Number(given) : 0;
  if (count >= 1 && count <= maxWorkers) return count;
  throw new InvalidSetting(`must be ${workersRange}.`);
}

function parseDomains(given: string): string[] {
  try {
    return parseDomainAllowlist(given);
  } catch (error) {
    throw new InvalidSetting(`has an entry that is not a domain. ${(error as Error).message}`);
  }
}

function parseOrigin(given: string, mode: Mode): string {
  const url = requireUrl(given);
  if (url.pathname !== "/" || url.search || url.hash || url.username || url.password) {
    throw new InvalidSetting("must be an origin only: scheme, host and port, with no path.");
  }
  refusePlainHttp([url], mode);
  return url.origin;
}

function parseOrigins(given: string, mode: Mode): string[] {
  const entries = splitList(given);
  if (entries.some((entry) => originHost(entry) === null)) {
    throw new InvalidSetting(
      "must list origins such as https://app.example.com; `*` and `null` are refused.",
    );
  }
  const urls = entries.map((entry) => new URL(entry));
  refusePlainHttp(urls, mode);
  return urls.map(({ origin }) => origin);
}

/** Anybody on the path of plain HTTP can read and change it. */
export function refusePlainHttp(urls: readonly URL[], mode: Mode): void {
  const isPlain = ({ protocol, hostname }: URL) => protocol === "http:" && !isLoopbackName(hostname);
  if (mode !== "production" || !urls.some(isPlain)) return;
  throw new InvalidSetting("must begin with https:// in production; plain HTTP is for loopback names only.");
}

function parseTrust(given: string): string {
  try {
    compileTrust(given);
    return given;
  } catch {
    throw new InvalidSetting("must be a number of hops, or a comma-separated list of addresses and ranges.");
  }
}
