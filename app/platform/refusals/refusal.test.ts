import { expect, test } from "vitest";
import { problemHeader } from "./refusal";

test.each([
  [200, undefined],
  [302, undefined],
  [400, "invalid-request"],
  [404, "not-found"],
  [412, "invalid-request"],
  [416, "range-not-satisfiable"],
  [500, "internal-error"],
  [503, "internal-error"],
])("an answer with status %i alone names as its refusal: %s", (status, slug) => {
  expect(problemHeader(status)["X-Problem"]).toBe(slug);
});
