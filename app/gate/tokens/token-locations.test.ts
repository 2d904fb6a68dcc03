import { expect, test } from "vitest";
import { findToken } from "./token-locations";

type TokenCarrier = Parameters<typeof findToken>[0];

function find(carrier: Partial<Omit<TokenCarrier, "searchParams">> & { query?: string }) {
  const { query = "", ...rest } = carrier;
  return findToken({
    authorization: undefined,
    body: undefined,
    cookie: undefined,
    searchParams: new URLSearchParams(query),
    ...rest,
  });
}

test("each location yields to those before it", () => {
  const carrier = {
    authorization: "Bearer a",
    body: { jwt: "b", data: { jwt: "c" } },
    cookie: "jwt=e; access_token=d",
    query: "jwt=f",
  };
  expect(find(carrier)).toEqual({ location: "authorization", value: "Bearer a" });
  const { authorization: _a, ...afterHeader } = carrier;
  expect(find(afterHeader)).toEqual({ location: "body.jwt", value: "b" });
  expect(find({ ...afterHeader, body: { data: { jwt: "c" } } })).toEqual({
    location: "body.data.jwt",
    value: "c",
  });
  expect(find({ ...afterHeader, body: {} })).toEqual({ location: "cookie", value: "d" });
  expect(find({ cookie: "jwt=e", query: "jwt=f" })).toEqual({ location: "cookie", value: "e" });
  expect(find({ cookie: "theme=dark", query: "jwt=f" })).toEqual({ location: "query", value: "f" });
});

test("an empty value or one of the wrong type is present, null and undefined are absent", () => {
  expect(find({ authorization: "", query: "jwt=f" })).toEqual({ location: "authorization", value: "" });
  expect(find({ body: { jwt: "" } })).toEqual({ location: "body.jwt", value: "" });
  expect(find({ body: { jwt: 5 } })).toEqual({ location: "body.jwt", value: 5 });
  expect(find({ body: { jwt: { nested: true } } })?.location).toBe("body.jwt");
  expect(find({ cookie: "access_token=", query: "jwt=f" })).toEqual({ location: "cookie", value: "" });
  expect(find({ query: "jwt=" })).toEqual({ location: "query", value: "" });
  expect(find({ body: { jwt: null, data: { jwt: null } } })).toBeNull();
  for (const body of [null, "jwt", 5, [], { data: null }, { data: [] }, { data: "jwt" }])
    expect(find({ body })).toBeNull();
  expect(find({})).toBeNull();
});

test("inherited members do not count as sent", () => {
  expect(find({ body: JSON.parse('{"__proto__":{"jwt":"x"}}') as unknown })).toBeNull();
  expect(find({ body: Object.create({ jwt: "x" }) as unknown })).toBeNull();
});

test("two cookies of one name that differ are absent", () => {
  expect(find({ cookie: "jwt=first; jwt=second" })).toBeNull();
  expect(find({ cookie: "access_token=a; access_token=b; jwt=c" })).toEqual({
    location: "cookie",
    value: "c",
  });
});
