import { expect, test } from "vitest";
import { readSchema } from "./read-schema";
import type { ApiSchema, ApiSchemas } from "./read-schema";

function read(schema: ApiSchema, schemas: ApiSchemas = {}) {
  return readSchema(schema, schemas);
}

test("an object is read with its fields, their types and which are required", () => {
  const node = read({
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string", pattern: "^\\d+$", description: "The key." },
      note: { type: "string", nullable: true, maxLength: 10 },
    },
  });
  expect(node).toMatchObject({ name: null, type: "object", facts: [] });
  expect(node.children).toEqual([
    {
      name: "id",
      type: "string",
      isRequired: true,
      description: "The key.",
      facts: ["matches ^\\d+$"],
      children: [],
    },
    {
      name: "note",
      type: "string",
      isRequired: false,
      description: "",
      facts: ["at most 10 characters", "may be null"],
      children: [],
    },
  ]);
});

test("limits are described with both bounds, with one, and where both are equal", () => {
  expect(read({ type: "integer", minimum: 1, maximum: 9 }).facts).toEqual(["1 to 9"]);
  expect(read({ type: "integer", minimum: 0 }).facts).toEqual(["at least 0"]);
  expect(read({ type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 }).facts).toEqual([
    "exactly 2 entries",
  ]);
  expect(read({ type: "string", enum: ["a", "b"] }).facts).toEqual(['"a" or "b"']);
});

test("references are followed, combined schemas merged, and alternatives listed side by side", () => {
  const schemas: ApiSchemas = { Key: { type: "object", properties: { id: { type: "string" } } } };
  const $ref = "#/components/schemas/Key";
  expect(read({ type: "array", items: { $ref } }, schemas)).toMatchObject({
    type: "list of object",
    children: [{ name: "id", type: "string" }],
  });
  const both: ApiSchema = {
    allOf: [{ $ref }, { type: "object", properties: { used: { type: "boolean" } } }],
  };
  expect(read(both, schemas).children.map(({ name }) => name)).toEqual(["id", "used"]);
  expect(read({ oneOf: [{ $ref }, { type: "string" }] }, schemas)).toMatchObject({
    type: "one of",
    children: [{ type: "object" }, { type: "string" }],
  });
});

test("a recursive schema is followed once, and a missing one is an error", () => {
  const $ref = "#/components/schemas/Tree";
  const schemas: ApiSchemas = { Tree: { type: "object", properties: { inside: { $ref } } } };
  expect(read({ $ref }, schemas).children).toMatchObject([{ name: "inside", type: "object", children: [] }]);
  expect(() => read({ $ref: "#/components/schemas/Nothing" })).toThrow("Nothing");
});
