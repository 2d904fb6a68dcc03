import { expect, test } from "vitest";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";

function read(environment: Record<string, string>) {
  return parseConfig({ ...production, ...environment }).tracing;
}

test("tracing is off without an endpoint, and other OTEL settings are then not judged", () => {
  expect(read({})).toBeNull();
  const forOthers = { OTEL_EXPORTER_OTLP_HEADERS: "no header" };
  expect(problemsInProduction(forOthers)).toEqual([]);
  expect(read(forOthers)).toBeNull();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }, "http://collector:4318/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" }, "http://collector:4318/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://t.example/otlp?x=1" }, "https://t.example/otlp/v1/traces?x=1"],
])("an endpoint of %o is used as %s", (environment, url) => {
  expect(read(environment)).toEqual({ url, headers: {} });
});

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test("headers are read, percent-encoded ones too", () => {
  const headers = "x-key=a%20b%3D, authorization=Bearer t=1";
  expect(read({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers })?.headers).toEqual({
    "x-key": "a b=",
    authorization: "Bearer t=1",
  });
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://collector:4317"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "the-secret-key"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "=the-secret-key"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=the-secret-key%0d%0aevil: 1"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=the-secret-key%zz"],
])("%s of %s is refused by name and without its value", (name, value) => {
  const problems = problemsInProduction({ ...endpoint, [name]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^${name} `));
  expect(problems[0]).not.toContain(value);
});
