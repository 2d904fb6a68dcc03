// Bundles the compiler's server and its packages into few files, so that production searches for none.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const folder = "build/server";
/** WebAssembly as a text. */
const wasmText = /["']([\w+/=]{1000,})["']/;

function loadLate({ onLoad, onResolve }) {
  // Of undici the server has its pool. The framework asks for all of it only where Node has no `fetch`.
  onResolve({ filter: /^undici$/ }, ({ path: name }) => ({ path: name, external: true }));
  // A dynamic import of bundled CommonJS has no named exports, so these stay packages.
  onResolve(
    { filter: /^(?:@(?:opentelemetry|pinecone-database)\/|@prisma\/instrumentation$|nodemailer$)/ },
    ({ kind, path: name }) => (kind === "dynamic-import" ? { path: name, external: true } : undefined),
  );
  // Words of fifty languages, of which the schemas use one.
  onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path: file }) => {
    return { contents: 'export { default as en } from "./en.js";', resolveDir: path.dirname(file) };
  });
  // Encodings of the bodies that Express's parsers read. They are loaded with Express, and never run.
  onLoad({ filter: /[\\/]iconv-lite[\\/]lib[\\/]index\.js$/ }, () => ({ contents: "module.exports = {};" }));
  // Prisma's compiler as bytes: its text would be kept twice. They are read when they are decoded, and not kept.
  onLoad({ filter: /\.wasm-base64\.mjs$/ }, ({ path: file }) => {
    const bytes = writeBytes(file, path.basename(file, "-base64.mjs"));
    return { contents: `export const wasm = { valueOf: () => ${bytes} };` };
  });
  // The hash, too; its package decodes it.
  onLoad({ filter: /[\\/]hash-wasm[\\/]dist[\\/]keccak\.umd\.min\.js$/ }, ({ path: file }) => {
    const decoded = `${writeBytes(file, "keccak.wasm")}.toString("base64")`;
    return { contents: readFileSync(file, "utf8").replace(wasmText, decoded) };
  });
  // The parser of undici, too.
  onLoad({ filter: /[\\/]llhttp\w*-wasm\.js$/ }, ({ path: file }) => {
    return { contents: `module.exports = ${writeBytes(file, `${path.basename(file, "-wasm.js")}.wasm`)};` };
  });
}

/** Puts the WebAssembly that a file holds as text into a file of its own; returns what reads it. */
function writeBytes(file, name) {
  const [, base64] = wasmText.exec(readFileSync(file, "utf8"));
  writeFileSync(path.join(folder, name), Buffer.from(base64, "base64"));
  return `$bytes("./${name}")`;
}

const banner = [
  // CommonJS packages ask for Node's own modules.
  'import{createRequire as $r}from"node:module";const require=$r(import.meta.url);',
  'import{readFileSync as $f}from"node:fs";const $bytes=name=>$f(new URL(name,import.meta.url));',
].join("");

export async function bundleServer() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { outputFiles } = await build({
    entryPoints: ["build/index.js"],
    outdir: folder,
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: ["libsql", "pg-native", "cloudflare:sockets"],
    plugins: [{ name: "late", setup: loadLate }],
    banner: { js: banner },
    define: { "process.env.NODE_ENV": '"production"' },
    // Names stay, and lines are short: traces tell where.
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: "none",
  });
  for (const { path: file, text } of outputFiles) {
    // All ASCII, text takes half the memory; the bundler leaves the other letters of regular expressions.
    const toEscape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    writeFileSync(file, text.replace(/[\u0080-\uffff]/g, toEscape));
  }
}
