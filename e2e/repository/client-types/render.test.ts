import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientTypesFile, renderClientTypes } from "./render";

test("the client's types are those of the current description (`npm run client:types`)", async () => {
  expect(readFileSync(clientTypesFile, "utf8") === (await renderClientTypes())).toBe(true);
}, 60_000);
