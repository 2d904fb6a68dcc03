import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientTypesFile, renderClientTypes } from "./render";

test("the client's types are those of the description as it is; `npm run client:types` writes them anew", async () => {
  expect(readFileSync(clientTypesFile, "utf8") === (await renderClientTypes())).toBe(true);
}, 60_000);
