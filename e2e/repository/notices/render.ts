import type { ThirdPartyPackage } from "./packages";

/** Our choice among alternative licences. */
const taken: Record<string, string> = {
  "(MPL-2.0 OR Apache-2.0)": "Apache-2.0",
  "(Unlicense OR Apache-2.0)": "Apache-2.0",
};

type LicenceText = { number: number; text: string; packages: ThirdPartyPackage[] };

/** The text of THIRD-PARTY-NOTICES.md. Throws if a package's choice of licences is still open. */
export function renderNotices(packages: readonly ThirdPartyPackage[]): string {
  const texts = collectTexts(packages);
  return [
    "# Third-party notices",
    "",
    "Latchkey itself is under the MIT licence (see LICENSE). It runs with the packages below, which an installation",
    "without development tools holds. Not listed are binaries for one platform each (such as those of `@libsql/`);",
    "they come under the licence of the package that brings them. `@openzeppelin/contracts` is listed because the",
    "compiled contracts in `contracts/artifacts` hold code of it.",
    "",
    "Made by `npm run notices` from what is installed; a test keeps it in step.",
    "",
    "| Package | Version | Licence | Text | Copyright |",
    "|---|---|---|---|---|",
    ...packages.map((entry) => renderRow(entry, texts)),
    "",
    "## Choices",
    "",
    "Some packages are offered under one of several licences. Of these we take:",
    "",
    ...packages.flatMap(renderChoice),
    "",
    "## Notices passed on",
    "",
    ...packages.flatMap(({ name, notice }) => (notice ? [`### ${name}`, "", ...fence(notice), ""] : [])),
    "## Inside compiled packages",
    "",
    "`wasm-media-encoders` is MIT itself and holds, compiled to WebAssembly:",
    "",
    "- LAME, the MP3 encoder (https://lame.sourceforge.io), under the GNU Library General Public License, version 2, whose",
    "  text is in [docs/licences/LGPL-2.txt](docs/licences/LGPL-2.txt). It is used as a library and unchanged by us; its",
    "  source and the build of the module are at https://github.com/arseneyr/wasm-media-encoders, and the package in",
    "  `node_modules` can be replaced by another build of it.",
    "- libogg and libvorbis (https://xiph.org), under the BSD licence of the Xiph.Org Foundation. Latchkey does not use them.",
    "",
    "## Licence texts",
    "",
    "Texts that differ only in their title, their statement of copyright and their punctuation are printed once.",
    "Where a package carries no licence file, the usual text of the licence it names is given.",
    ...texts.flatMap(renderText),
    "",
  ].join("\n");
}

function renderRow(entry: ThirdPartyPackage, texts: readonly LicenceText[]): string {
  const numbers = texts.filter(({ packages }) => packages.includes(entry)).map(({ number }) => number);
  const links = numbers.map((number) => `[${number}](#text-${number})`).join(", ");
  const cells = [entry.name, entry.version, entry.licence, links, entry.copyright.join("; ")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function renderChoice({ name, licence }: ThirdPartyPackage): string[] {
  if (!/\bOR\b/.test(licence)) return [];
  const choice = taken[licence];
  if (!choice) throw new Error(`${name} is offered under ${licence}. Say which one is taken, in this file.`);
  return [`- ${name}: ${choice}`];
}

function renderText({ number, text, packages }: LicenceText): string[] {
  const names = packages.map(({ name, version }) => `${name} ${version}`).join(", ");
  return ["", `### Text ${number}`, "", `For ${names}.`, "", ...fence(text)];
}

/** Longer than any fence within a Markdown licence. */
function fence(text: string): string[] {
  return ["`````text", text, "`````"];
}

function collectTexts(packages: readonly ThirdPartyPackage[]): LicenceText[] {
  const texts = new Map<string, LicenceText>();
  for (const entry of packages) {
    if (entry.licenceText === null) continue;
    const key = entry.licenceText.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    const known = texts.get(key);
    if (known) known.packages.push(entry);
    else texts.set(key, { number: texts.size + 1, text: entry.licenceText, packages: [entry] });
  }
  const found = [...texts.values()];
  for (const entry of packages) {
    if (entry.licenceText !== null) continue;
    for (const licence of licencesOf(entry)) getUsualText(found, licence).packages.push(entry);
  }
  return found;
}

function licencesOf({ licence }: ThirdPartyPackage): string[] {
  return (taken[licence] ?? licence).replaceAll(/[()]/g, "").split(" AND ");
}

/** The text of most packages with this licence. */
function getUsualText(texts: readonly LicenceText[], licence: string): LicenceText {
  const count = ({ packages }: LicenceText) =>
    packages.filter((entry) => entry.licenceText !== null && entry.licence === licence).length;
  const [usual] = texts.toSorted((one, other) => count(other) - count(one));
  if (!usual || count(usual) === 0) throw new Error(`No installed package carries the text of ${licence}.`);
  return usual;
}
