import { readFileSync, readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const folder = "build/server";
const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
// Without the line breaks that the bundler puts into long strings.
const readBuilt = (name: string) => readFileSync(path.join(folder, name), "utf8").replaceAll("\\\n", "");

test("the built server is all ASCII: one other letter would double the memory that its text takes", () => {
  const odd = files.flatMap((name) => /.{0,20}[\u0080-\uffff]/.exec(readBuilt(name)) ?? []);
  expect(odd).toEqual([]);
});

test("when it starts, the built server takes only the native driver and the curve from a folder of packages", () => {
  const waiting = ["./index.js"];
  const packages = new Set<string>();
  // A list also hands out what is added to it meanwhile.
  for (const file of waiting) {
    for (const name of listStaticImports(readBuilt(file))) {
      const isKnown = isBuiltin(name) || waiting.includes(name);
      if (!isKnown && name.startsWith("./")) waiting.push(name);
      else if (!isKnown) packages.add(name);
    }
  }
  expect(waiting.length).toBeGreaterThan(1);
  expect([...packages].sort()).toEqual(["libsql", "tiny-secp256k1"]);
  // Megabytes are parsed.
}, 60_000);

function listStaticImports(text: string): string[] {
  return ts.createSourceFile("built.js", text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const from =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
        ? statement.moduleSpecifier
        : undefined;
    return from && ts.isStringLiteral(from) ? [from.text] : [];
  });
}

test("of packages outside the bundle its CommonJS asks only for those that it can do without", () => {
  const asked = files.flatMap((name) =>
    [...readBuilt(name).matchAll(/\b__require\("([^"]+)"\)/g)].map(([, asking]) => asking!),
  );
  const packages = new Set(asked.filter((name) => !isBuiltin(name)));
  expect([...packages].sort()).toEqual(["bufferutil", "pg-native", "undici", "utf-8-validate"]);
});

test("what the built server loads late has its names: a CommonJS package in the bundle would have none", () => {
  const late = files.flatMap((name) =>
    [...readBuilt(name).matchAll(/\bimport\("\.\/([\w.-]+\.js)"\)/g)].map(([, file]) => file!),
  );
  expect(late.length).toBeGreaterThan(2);
  expect(late.filter((name) => /export default require_\w+\(\);\s*$/.test(readBuilt(name)))).toEqual([]);
});

test("the built server has modules of WebAssembly as bytes, and none as text", () => {
  const modules = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
  expect(modules.sort()).toEqual([
    "llhttp.wasm",
    "llhttp_simd.wasm",
    "query_compiler_small_bg.postgresql.wasm",
    "query_compiler_small_bg.sqlite.wasm",
  ]);
  for (const name of modules) {
    expect(WebAssembly.validate(readFileSync(path.join(folder, name))), name).toBe(true);
  }
  expect(files.filter((name) => readBuilt(name).includes('"AGFzbQEAAAA'))).toEqual([]);
});
