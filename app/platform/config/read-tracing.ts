import type { SettingReader } from "./setting-reader";

export type TracingSettings = ReturnType<typeof readTracing>;

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

/** null: no traces. The names are shared by all programs of a machine, so the rest counts only where an endpoint is set. */
export function readTracing(reader: SettingReader) {
  const url = findTracesUrl(reader);
  if (url === null) return null;
  const sampler = reader.getChoice({ name: "OTEL_TRACES_SAMPLER", choices: samplers });
  const isParentBased = sampler.startsWith(parentPrefix);
  return {
    url,
    headers: readHeaders(reader),
    serviceName: reader.getText("OTEL_SERVICE_NAME"),
    sampler: {
      base: (isParentBased ? sampler.slice(parentPrefix.length) : sampler) as BaseSampler,
      isParentBased,
      ratio: readRatio(reader),
    },
  };
}

function findTracesUrl(reader: SettingReader): string | null {
  const protocols = ["https:", "http:"];
  const whole = reader.findUrl({ name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", protocols });
  const base = reader.findUrl({ name: "OTEL_EXPORTER_OTLP_ENDPOINT", protocols });
  if (whole !== null) return whole;
  if (base === null) return null;
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}

function readHeaders(reader: SettingReader): Record<string, string> {
  const entries = reader.getList("OTEL_EXPORTER_OTLP_HEADERS").map((entry) => {
    const at = entry.indexOf("=");
    return [entry.slice(0, Math.max(0, at)).trim(), decode(entry.slice(at + 1).trim())] as const;
  });
  if (entries.every(([name, value]) => headerName.test(name) && value !== null && headerValue.test(value))) {
    return Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""]));
  }
  reader.report(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "must list headers as name=value, comma-separated; values with other characters than plain ones percent-encoded.",
  );
  return {};
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function readRatio(reader: SettingReader): number {
  const text = reader.getText("OTEL_TRACES_SAMPLER_ARG");
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  reader.report("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1.");
  return 1;
}
