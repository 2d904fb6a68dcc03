// Writes what production installs, out of the lockfile, as a CycloneDX bill of materials: `npm run sbom [-- FILE]`.
import { readFileSync, writeFileSync } from "node:fs";
import { keepProduction } from "./dependencies/bill-of-materials";
import { runNpm } from "~/commands/dependencies/run-npm";

const file = process.argv[2] ?? "sbom.cdx.json";
const { output, complaint } = await runNpm(["sbom", "--package-lock-only", "--sbom-format=cyclonedx"]);
if (!output.startsWith("{")) throw new Error(`npm wrote no bill of materials.\n${complaint}`);
const lockfile: unknown = JSON.parse(readFileSync("package-lock.json", "utf8"));
const bill = keepProduction(JSON.parse(output), lockfile);
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`${bill.components.length} components in ${file}`);
