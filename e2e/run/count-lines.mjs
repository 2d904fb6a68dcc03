// Counts lines of the product: `app/` and `server.ts`, styles included, without tests and generated files. The demo's
// pages and the content skeleton are content.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const isProduct = /^(app\/.*|server)\.(ts|tsx|mjs|css)$/;
const isLeftOut =
  /\.(test|spec)\.|^app\/generated\/|^app\/demo\/content\/|\/content-skeleton\/|\/api-types\.ts$/;

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
const deleted = execFileSync("git", ["ls-files", "--deleted"]).toString().split("\n");
const files = listed
  .toString()
  .split("\n")
  .filter((file) => isProduct.test(file) && !isLeftOut.test(file) && !deleted.includes(file));

const linesByFolder = new Map();
for (const file of files) {
  const folder = path.dirname(file);
  const lines = readFileSync(file, "utf8").split("\n").length - 1;
  linesByFolder.set(folder, (linesByFolder.get(folder) ?? 0) + lines);
}
const folders = [...linesByFolder].sort(([, a], [, b]) => b - a);
for (const [folder, lines] of folders) console.log(`${String(lines).padStart(6)}  ${folder}`);
console.log(
  `${String(folders.reduce((sum, [, lines]) => sum + lines, 0)).padStart(6)}  in ${files.length} files`,
);
