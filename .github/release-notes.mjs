// Prints what CHANGELOG.md says of a tag, and fails unless the tag is this version: node .github/release-notes.mjs v1.0.0
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const [tag] = process.argv.slice(2);
const { version } = JSON.parse(read("package.json"));
if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and package.json says ${version}.`);
const section = read("CHANGELOG.md")
  .split(/^(?=## )/m)
  .find((part) => part.startsWith(`## [${version}]`));
if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);
process.stdout.write(`${section.slice(section.indexOf("\n")).trim()}\n`);
