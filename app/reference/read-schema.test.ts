import { expect, test } from "vitest";
import { readSchema } from "./read-schema";
import type { ApiSchema, ApiSchemas } from "./read-schema";

function read(schema: ApiSchema, schemas: ApiSchemas = {}) {
  return readSchema(schema, schemas);
}

test("an object is read with its fields, what they are and which have to be there", () => {
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

test("limits are put into words on both sides, on one, and where both are the same", () => {
  expect(read({ type: "integer", minimum: 1, maximum: 9 }).facts).toEqual(["1 to 9"]);
  expect(read({ type: "integer", minimum: 0 }).facts).toEqual(["at least 0"]);
  expect(read({ type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 }).facts).toEqual([
    "exactly 2 entries",
  ]);
  expect(read({ type: "string", enum: ["a", "b"] }).facts).toEqual(['"a" or "b"']);
});

test("references are followed, parts are put together, and alternatives stand side by side", () => {
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

test("a schema that holds itself is followed once, and one that is not there is an error", () => {
  const $ref = "#/components/schemas/Tree";
  const schemas: ApiSchemas = { Tree: { type: "object", properties: { inside: { $ref } } } };
  expect(read({ $ref }, schemas).children).toMatchObject([{ name: "inside", type: "object", children: [] }]);
  expect(() => read({ $ref: "#/components/schemas/Nothing" })).toThrow("Nothing");
});
