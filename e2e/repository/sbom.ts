// Writes a CycloneDX bill of materials of the production packages from the lockfile: `npm run sbom [-- FILE]`.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { keepProduction } from "./dependencies/bill-of-materials";

const file = process.argv[2] ?? "sbom.cdx.json";
const parameters = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"];
const isWindows = process.platform === "win32";
const { stdout } = await promisify(execFile)("npm", parameters, {
  shell: isWindows,
  maxBuffer: 64 * 1024 * 1024,
});
const lockfile: unknown = JSON.parse(readFileSync("package-lock.json", "utf8"));
const bill = keepProduction(JSON.parse(stdout), lockfile);
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`${bill.components.length} components in ${file}`);
