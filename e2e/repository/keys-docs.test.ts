import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { readKeysFile } from "~/gate/kinds/file/keys-file.server";
import { listAddressFiles, readKeysExamples } from "~e2e/support/keys-examples";

const examples = readKeysExamples();
const folder = mkdtempSync(path.join(os.tmpdir(), "latchkey-keys-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("docs/keys.md shows five whole files", () => {
  expect(examples).toHaveLength(5);
});

test.each(examples)("the file of docs/keys.md is read without a mistake: $name", ({ text }) => {
  const file = path.join(folder, "keys.json");
  writeFileSync(file, text);
  for (const list of listAddressFiles(text)) writeFileSync(path.join(folder, list), "# nobody yet\n");
  const { chains } = JSON.parse(text) as { chains: object };
  const rpcUrls = new Map(Object.keys(chains).map((id) => [id, ["https://rpc.example.com"]]));
  expect(readKeysFile(file, rpcUrls)).not.toHaveProperty("mistakes");
});
