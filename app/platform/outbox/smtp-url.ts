import { InvalidSetting } from "~/platform/config/setting";

const knownOptions = [
  "requireTLS",
  "ignoreTLS",
  "name",
  "authMethod",
  "tls.rejectUnauthorized",
  "tls.servername",
];

/**
 * `smtp://` (STARTTLS where the server offers it) or `smtps://`. With a password, and a host that is not loopback, TLS is
 * required unless `ignoreTLS=true`. Errors name the mistake, never the value: the address holds a password.
 */
export function readSmtpUrl(smtpUrl: string) {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : null;
  if (!url || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") {
    throw new InvalidSetting("must be smtp://host:port or smtps://host:port.");
  }
  const options = readOptions(url.searchParams);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const auth = readCredentials(url);
  const secure = url.protocol === "smtps:";
  const ignoreTLS = readSwitch(options, "ignoreTLS") ?? false;
  const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
  const requireTLS =
    readSwitch(options, "requireTLS") ?? (auth !== null && !secure && !loopback && !ignoreTLS);
  const rejectUnauthorized = readSwitch(options, "tls.rejectUnauthorized");
  return {
    host,
    port: url.port === "" ? undefined : Number(url.port),
    secure,
    ignoreTLS,
    requireTLS,
    auth: auth ?? undefined,
    name: options.get("name"),
    authMethod: options.get("authMethod"),
    tls: { rejectUnauthorized, servername: options.get("tls.servername") },
  };
}

function readOptions(query: URLSearchParams): Map<string, string> {
  const options = new Map(query);
  for (const name of options.keys()) {
    if (!knownOptions.includes(name)) {
      throw new InvalidSetting(`takes only these options: ${knownOptions.join(", ")}.`);
    }
  }
  return options;
}

function readSwitch(options: Map<string, string>, name: string): boolean | undefined {
  const value = options.get(name);
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  throw new InvalidSetting(`must have true or false for ${name}.`);
}

function readCredentials(url: URL): { user: string; pass: string } | null {
  if (url.username === "" && url.password === "") return null;
  try {
    return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  } catch {
    throw new InvalidSetting("must have its user name and password percent-encoded.");
  }
}
