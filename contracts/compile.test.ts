import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileContracts } from "./compile.mjs";

const artifactsFolder = new URL("./artifacts/", import.meta.url);

test("the committed artifacts are exactly what the compiler makes of the sources", () => {
  const compiled = compileContracts();

  expect(readdirSync(artifactsFolder).sort()).toEqual([...compiled.keys()].sort());
  for (const [name, text] of compiled) {
    expect(readFileSync(new URL(name, artifactsFolder), "utf8"), name).toBe(text);
  }
});
