import { oneOf, setting, splitList, text, url } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";

export type TracingSettings = NonNullable<ReturnType<typeof readTracing>>;

const samplers = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;
type BaseSampler = "always_on" | "always_off" | "traceidratio";

const parentPrefix = "parentbased_";
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const headerValue = /^[\t\x20-\x7e]*$/;

/** The names are OpenTelemetry's own. */
export const tracingSettings = {
  endpoints: {
    base: url(
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      { isSecret: true, switches: { name: "Traces" } },
      "Where traces are sent, as OTLP over HTTP: an address to which /v1/traces is added. Without it and the next one there are no traces.",
    ),
    whole: url(
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      { isSecret: true },
      "The same as a whole address, to which nothing is added; counts before the other.",
    ),
  },
  details: {
    headers: setting(
      "OTEL_EXPORTER_OTLP_HEADERS",
      { parse: parseHeaders, range: "`name=value`, comma-separated", isSecret: true },
      "Headers for the collector, such as a key; values percent-encoded where they need it.",
    ),
    serviceName: text("OTEL_SERVICE_NAME", { default: "latchkey" }, "What this service is called in traces."),
    sampler: oneOf(
      "OTEL_TRACES_SAMPLER",
      { of: samplers, default: "parentbased_always_on" },
      "Which requests are traced. `parentbased_` follows a trusted proxy's decision where there is one.",
    ),
    ratio: setting(
      "OTEL_TRACES_SAMPLER_ARG",
      { parse: parseRatio, range: "0 to 1", default: "1" },
      "The share of requests that `traceidratio` traces.",
    ),
  },
};

/** null: no traces. All programs of a machine share these names, so the rest counts only with an endpoint. */
export function readTracing(reader: SettingReader) {
  const { base, whole } = reader.read(tracingSettings.endpoints);
  const url = whole ?? (base && addTracesPath(base));
  const names = "OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  reader.setSwitch(
    tracingSettings.endpoints.base,
    url !== null,
    url === null ? `Neither ${names.replace(" or ", " nor ")} is set.` : `${names} is set.`,
  );
  if (url === null) return null;
  const { headers, serviceName, sampler, ratio } = reader.read(tracingSettings.details);
  const isParentBased = sampler.startsWith(parentPrefix);
  const plainSampler = isParentBased ? sampler.slice(parentPrefix.length) : sampler;
  return {
    url,
    headers: headers ?? {},
    serviceName,
    sampler: { base: plainSampler as BaseSampler, isParentBased, ratio },
  };
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

function parseRatio(given: string): number {
  const ratio = /^\d*\.?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new InvalidSetting("must be a number from 0 to 1.");
}
