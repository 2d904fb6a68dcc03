import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

type Output = { imports: { path: string; kind: string }[]; inputs: Record<string, unknown> };
const { outputs } = JSON.parse(readFileSync("build/metafile.js.json", "utf8")) as {
  outputs: Record<string, Output>;
};

/** The script made from a source file, with every script it loads at once. */
function listScripts(source: string): Set<string> {
  const start = Object.keys(outputs).find((file) => new RegExp(`/${source}-[A-Z0-9]{8}\\.js$`).test(file));
  if (!start) throw new Error(`There is no script of ${source}.`);
  const found = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind !== "dynamic-import" && path in outputs) open.push(path);
    }
  }
  return found;
}

function union(sources: readonly string[]): Set<string> {
  return new Set(sources.flatMap((source) => [...listScripts(source)]));
}

const page = union(["entry.client", "root", "routes/_index", "routes/gate"]);
/** What is loaded between the press of "Connect" and the room, the demo's own wallet included. */
const afterConnect = union(["wagmi-session", "wallet-dialog", "demo-signer", "gate-proofs"]);
const library = /node_modules\/(wagmi|@wagmi|viem|ox|@noble|@coinbase|@walletconnect|zustand|mipd)\//;

function inputsOf(files: Iterable<string>): string[] {
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
}

test("connecting adds at most 80 KB of script to the page at the gate", () => {
  const added = [...afterConnect].filter((file) => file.endsWith(".js") && !page.has(file));
  const bytes = added.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(80_000);
});

test("no page loads wallet code before somebody wants to connect", () => {
  expect(inputsOf(afterConnect).some((input) => library.test(input))).toBe(true);
  for (const route of ["_index", "gate", "chat", "docs"]) {
    const early = inputsOf(union(["entry.client", "root", `routes/${route}`])).filter((input) =>
      library.test(input),
    );
    expect(early, route).toEqual([]);
  }
});

test("WalletConnect and Base are in scripts of their own, loaded by nobody who does not choose them", () => {
  const optional = /node_modules\/(@coinbase|@walletconnect|uqr)\//;
  expect(inputsOf(afterConnect).filter((input) => optional.test(input))).toEqual([]);
  for (const [source, name] of [
    ["wallet-connect-provider", /@walletconnect/],
    ["base-provider", /@coinbase/],
    ["pairing-code", /uqr/],
  ] as const) {
    expect(
      inputsOf(listScripts(source)).some((input) => name.test(input)),
      source,
    ).toBe(true);
  }
});
