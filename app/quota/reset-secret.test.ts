import { expect, test } from "vitest";
import { findSecretInHeaders, findSecretInRequest } from "./quota-reset.server";

test("the secret's headers are read in order, and an empty one is skipped", () => {
  const headers = {
    "x-quota-reset-secret": "first",
    "x-ai-quota-reset-secret": "second",
    authorization: "Bearer third",
  };
  expect(findSecretInHeaders(headers)).toBe("first");
  expect(findSecretInHeaders({ ...headers, "x-quota-reset-secret": "" })).toBe("second");
  expect(findSecretInHeaders({ authorization: headers.authorization })).toBe("third");
  expect(findSecretInHeaders({ authorization: "bearer  third and more" })).toBe("third and more");
  for (const authorization of ["Basic third", "Bearer", "Bearer ", "third"]) {
    expect(findSecretInHeaders({ authorization })).toBeNull();
  }
});

test("the body precedes the query, whatever it contains", () => {
  const searchParams = new URLSearchParams("secret=query");
  expect(findSecretInRequest({ secret: "body" }, searchParams)).toBe("body");
  expect(findSecretInRequest({ secret: 5 }, searchParams)).toBe(5);
  for (const body of [undefined, null, "secret", [], {}, { secret: null }, { secret: "" }]) {
    expect(findSecretInRequest(body, searchParams)).toBe("query");
  }
  expect(findSecretInRequest({}, new URLSearchParams("secret="))).toBeNull();
  expect(findSecretInRequest(Object.create({ secret: "x" }), new URLSearchParams())).toBeNull();
});
