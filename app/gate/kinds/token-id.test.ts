import { extendZodWithOpenApi, OpenAPIRegistry, OpenApiGeneratorV3 } from "@asteasolutions/zod-to-openapi";
import { expect, test } from "vitest";
import * as z from "zod";
import { Refusal } from "~/platform/refusals/refusal";
import { malformedTokenIdDetail, parseTokenId, tokenIdSchema } from "./token-id";

const max = (2n ** 256n - 1n).toString();

const good: [unknown, string][] = [
  ["0", "0"],
  ["7", "7"],
  ["007", "7"],
  ["000", "0"],
  [max, max],
  ["0".repeat(77) + "7", "7"],
  [0, "0"],
  [7, "7"],
  [Number.MAX_SAFE_INTEGER, "9007199254740991"],
];

const bad: unknown[] = [
  "",
  " ",
  " 7",
  "7 ",
  "7\n",
  "+7",
  "-7",
  "-0",
  "1e3",
  "1E3",
  "1.0",
  "1.",
  ".5",
  "0x7",
  "0b1",
  "1_000",
  "1,000",
  "７",
  "٧",
  "7n",
  "Infinity",
  "NaN",
  (2n ** 256n).toString(),
  "9".repeat(78),
  "0".repeat(78) + "7",
  -1,
  -0,
  1.5,
  Number.MAX_SAFE_INTEGER + 1,
  1e21,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  7n,
  null,
  true,
  [7],
  ["7"],
  { toString: () => "7" },
];

test.each(good)("the token id %j is read as %s, by the function and by the schema", (input, tokenId) => {
  expect(parseTokenId(input)).toBe(tokenId);
  expect(tokenIdSchema.parse(input)).toBe(tokenId);
});

test.each(bad.map((input) => [typeof input, String(input), input]))(
  "the %s %s is refused as a token id, by the function and by the schema",
  (_type, _text, input) => {
    expect(() => parseTokenId(input)).toThrow(
      expect.objectContaining({ name: "Refusal", slug: "invalid-tokenid", status: 400 }),
    );
    const { error } = tokenIdSchema.safeParse(input);
    expect(error?.issues.map((issue) => issue.message)).toEqual([malformedTokenIdDetail]);
  },
);

test("a malformed token id is explained in the documented words", () => {
  try {
    parseTokenId("abc");
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).detail).toContain("Token ID must be numeric");
  }
});

test("a missing token id is reported apart from a malformed one", () => {
  expect(() => parseTokenId(undefined)).toThrow(Refusal);
  const { error } = z.object({ tokenId: tokenIdSchema }).safeParse({});
  expect(error?.issues).toMatchObject([{ path: ["tokenId"], message: "Token ID is required" }]);
  expect(z.object({ tokenId: tokenIdSchema.optional() }).parse({})).toEqual({});
});

test("the schema describes itself to an OpenAPI 3.0 document", () => {
  extendZodWithOpenApi(z);
  const registry = new OpenAPIRegistry();
  registry.register("Claim", z.object({ tokenId: tokenIdSchema }));
  expect(new OpenApiGeneratorV3(registry.definitions).generateComponents()).toMatchObject({
    components: {
      schemas: {
        Claim: {
          required: ["tokenId"],
          properties: {
            tokenId: {
              anyOf: [
                { type: "string", pattern: "^[0-9]{1,78}$" },
                { type: "integer", minimum: 0 },
              ],
            },
          },
        },
      },
    },
  });
});
