import { expect, test } from "vitest";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";

function read(environment: Record<string, string>) {
  return parseConfig({ ...production, ...environment }).tracing;
}

test("tracing is off without an endpoint, and other OTEL settings are then not judged", () => {
  expect(read({})).toBeNull();
  const forOthers = { OTEL_TRACES_SAMPLER: "jaeger_remote", OTEL_EXPORTER_OTLP_HEADERS: "no header" };
  expect(problemsInProduction(forOthers)).toEqual([]);
  expect(read(forOthers)).toBeNull();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }, "http://collector:4318/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" }, "http://collector:4318/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://t.example/otlp?x=1" }, "https://t.example/otlp/v1/traces?x=1"],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://other/here",
    },
    "http://other/here",
  ],
])("an endpoint of %o is used as %s", (environment, url) => {
  expect(read(environment)).toEqual({
    url,
    headers: {},
    serviceName: "latchkey",
    sampler: { base: "always_on", isParentBased: true, ratio: 1 },
  });
});

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test("headers, service name and sampler are read", () => {
  const tracing = read({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b%3D, authorization=Bearer t=1",
    OTEL_SERVICE_NAME: "gate",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
  });
  expect(tracing).toMatchObject({
    headers: { "x-key": "a b=", authorization: "Bearer t=1" },
    serviceName: "gate",
    sampler: { base: "traceidratio", isParentBased: true, ratio: 0.25 },
  });
  expect(read({ ...endpoint, OTEL_TRACES_SAMPLER: "always_off" })?.sampler).toMatchObject({
    base: "always_off",
    isParentBased: false,
  });
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://collector:4317"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "nowhere"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "the-secret-key"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "=the-secret-key"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=the-secret-key%0d%0aevil: 1"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=the-secret-key%zz"],
  ["OTEL_TRACES_SAMPLER", "sometimes"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.01"],
  ["OTEL_TRACES_SAMPLER_ARG", "-0.1"],
  ["OTEL_TRACES_SAMPLER_ARG", "half"],
])("%s of %s is refused by name and without its value", (name, value) => {
  const problems = problemsInProduction({ ...endpoint, [name]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^${name} `));
  expect(problems[0]).not.toContain(value);
});

test.each(["0", "1", "0.5", ".5"])("a sampling ratio of %s is accepted", (share) => {
  expect(read({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: share })?.sampler.ratio).toBe(Number(share));
});
