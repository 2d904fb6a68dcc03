import { expect, test } from "vitest";
import type { OpenApiDocument } from "~/platform/openapi/api-registry";
import { findFaults } from "./openapi-checker";

const document: OpenApiDocument = {
  openapi: "3.0.3",
  info: { title: "Things", version: "1" },
  components: {
    schemas: {
      Thing: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, maker: { type: "string", nullable: true } },
      },
    },
    headers: { Count: { required: true, schema: { type: "integer", minimum: 1 } } },
  },
  paths: {
    "/things/{id}": {
      get: {
        responses: {
          "200": {
            description: "A thing.",
            headers: { Count: { $ref: "#/components/headers/Count" } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
          },
          "304": { description: "The same thing." },
        },
      },
    },
  },
};

const good = {
  method: "GET",
  path: "/things/7?color=red",
  status: 200,
  headers: { "Content-Type": "application/json; charset=utf-8", Count: "3" } as Record<string, string>,
  text: '{"name":"lamp","maker":null}',
};

function faultsOf(changes: Partial<typeof good>): string {
  const answer = { ...good, ...changes };
  return findFaults(document, { ...answer, headers: new Headers(answer.headers) }).join("\n");
}

test("a described answer has no faults", () => {
  expect(faultsOf({})).toBe("");
  expect(faultsOf({ text: '{"name":"lamp"}' })).toBe("");
  expect(faultsOf({ status: 304, headers: {}, text: "" })).toBe("");
});

test.each([
  ["a body of the wrong type", { text: '{"name":5}' }, /name/],
  ["a missing member", { text: "{}" }, /name/],
  ["a member that is not described", { text: '{"name":"lamp","price":1}' }, /price/],
  ["null where it is not allowed", { text: '{"name":null}' }, /name/],
  ["a missing header", { headers: { "Content-Type": "application/json" } }, /Count is missing/],
  ["a header of the wrong type", { headers: { ...good.headers, Count: "many" } }, /Count/],
  ["a header out of bounds", { headers: { ...good.headers, Count: "0" } }, /Count/],
  ["another content type", { headers: { ...good.headers, "Content-Type": "text/html" } }, /text\/html/],
  ["a body where none is described", { status: 304 }, /a body was not described/],
  ["a status that is not described", { status: 404 }, /status 404/],
  ["an address that is not described", { path: "/things/7/parts" }, /not described/],
])("%s is a fault", (_name, changes, fault) => {
  expect(faultsOf(changes)).toMatch(fault);
});
