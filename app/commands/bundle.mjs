// Bundles the compiler's server and its packages into few files, so that production searches for none.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const folder = "build/server";

function loadLate({ onLoad, onResolve }) {
  onResolve({ filter: /^undici$/ }, ({ path: name }) => ({ path: name, external: true }));
  // A dynamic import of bundled CommonJS has no named exports, so these stay packages.
  onResolve({ filter: /^@(?:opentelemetry|pinecone-database)\// }, ({ kind, path: name }) =>
    kind === "dynamic-import" ? { path: name, external: true } : undefined,
  );
  // Prisma's compiler as bytes: its text would be kept twice.
  onLoad({ filter: /\.wasm-base64\.mjs$/ }, ({ path: file }) => {
    const name = path.basename(file, "-base64.mjs");
    const [, base64] = /"([\w+/=]{1000,})"/.exec(readFileSync(file, "utf8"));
    writeFileSync(path.join(folder, name), Buffer.from(base64, "base64"));
    const bytes = `readFileSync(new URL("./${name}", import.meta.url))`;
    return { contents: `import { readFileSync } from "node:fs"; export const wasm = ${bytes};` };
  });
}

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
    // CommonJS packages ask for Node's own modules.
    banner: { js: 'import{createRequire as $r}from"node:module";const require=$r(import.meta.url);' },
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
