import { setting, splitList, url } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";

export type TracingSettings = NonNullable<ReturnType<typeof readTracing>>;

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const headerValue = /^[\t\x20-\x7e]*$/;

/** The names are OpenTelemetry's own. */
export const tracingSettings = {
  endpoint: url(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    { isSecret: true, switches: { name: "Traces" } },
    "Where traces are sent, as OTLP over HTTP: an address to which /v1/traces is added. Without it there are no traces.",
  ),
  headers: setting(
    "OTEL_EXPORTER_OTLP_HEADERS",
    { parse: parseHeaders, range: "`name=value`, comma-separated", isSecret: true },
    "Headers for the collector, such as a key; values percent-encoded where they need it.",
  ),
};

/** null: no traces. All programs of a machine share these names, so the rest counts only with an endpoint. */
export function readTracing(reader: SettingReader) {
  const { endpoint } = reader.read({ endpoint: tracingSettings.endpoint });
  if (endpoint === null) return null;
  const { headers } = reader.read({ headers: tracingSettings.headers });
  return { url: addTracesPath(endpoint), headers: headers ?? {} };
}

function addTracesPath(base: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}

function parseHeaders(given: string): Record<string, string> {
  const entries = splitList(given).map((entry) => {
    const at = entry.indexOf("=");
    return [entry.slice(0, Math.max(0, at)).trim(), decode(entry.slice(at + 1).trim())] as const;
  });
  if (entries.every(([name, value]) => headerName.test(name) && value !== null && headerValue.test(value))) {
    return Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""]));
  }
  throw new InvalidSetting(
    "must list headers as name=value, comma-separated; values with other characters than plain ones percent-encoded.",
  );
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
