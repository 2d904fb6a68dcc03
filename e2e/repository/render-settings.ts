import { listEntries, listSettings } from "~/platform/config/setting";
import type { Setting, SettingGroup, Settings } from "~/platform/config/setting";

const lineWidth = 108;

/** Not for the server: compose.yaml alone reads them. */
const composeSettings = `
## Containers

# Passwords that compose.yaml needs, and it alone. Each from: openssl rand -hex 24 (secret)
# POSTGRES_PASSWORD=
# REDIS_PASSWORD=

# The image that compose.yaml pulls, as the release names it. compose.build.yaml builds one instead.
# LATCHKEY_IMAGE=latchkey
`;

/** The text of `.env.example`. */
export function renderEnvExample(groups: readonly SettingGroup[]): string {
  const head = [
    "# Settings of Latchkey. Copy this file to .env and change what you need; `npm start` reads it.",
    "# A line that is commented out shows the default, or an empty place where there is none.",
    "# Made by `npm run env-example`; a test keeps it in step with the parser.",
  ];
  const entries = listEntries(groups.flatMap(({ rows }) => listSettings(rows)));
  const body = groups.flatMap(({ title, rows }) => [
    "",
    `## ${title}`,
    ...entriesOf(rows, entries).flatMap((entry) => [
      "",
      ...wrap(`${textOf(entry)} Range: ${entry[0].range}.${secrecy(entry[0])}`),
      ...entry.map((row) => `# ${row.name}=${row.default ?? ""}`),
    ]),
  ]);
  return [...head, ...body, composeSettings].join("\n");
}

/** The text of docs/settings.md. */
export function renderSettingsPage(groups: readonly SettingGroup[]): string {
  const head = `# Settings

From the environment, or from \`.env\` in the current folder (the environment wins; \`npm start\` reads the one beside
\`package.json\`). Every
mistake is reported at start-up, by name and without values. The log points out each name in \`.env\` that is not a
setting. A name that is one slip away from a setting, here or in the environment, stops the start in production: a letter
is missing, added, changed or swapped.
`;
  const entries = listEntries(groups.flatMap(({ rows }) => listSettings(rows)));
  const tables = groups.map(({ title, rows }) => {
    const own = entriesOf(rows, entries);
    const heading = [`## ${title}`, "", "| Setting | Range | Default | Effect |", "|---|---|---|---|"];
    return [...heading, ...own.map(renderEntry), "", ...own.flatMap(renderMembers)].join("\n");
  });
  const foot = `
\`npm run env-example\` writes this page and \`.env.example\` from the rows that the server reads: \`*.settings.ts\` beside
each feature.
`;
  return [head, ...tables, foot].join("\n");
}

type Entry = ReturnType<typeof listEntries>[number];

/** So many names of a family fit into a cell. */
const maxNames = 4;

/** Those whose first setting is among these. */
function entriesOf(rows: Settings, entries: readonly Entry[]): Entry[] {
  const own = listSettings(rows);
  return entries.filter(([first]) => own.includes(first));
}

const textOf = ([first, ...others]: Entry) => (others.length > 0 ? first.family!.text : first.text);

function renderEntry(entry: Entry): string {
  const [first] = entry;
  const isLong = entry.length > maxNames;
  const names = isLong ? [first.family!.name] : entry.map(({ name }) => name);
  const defaults = isLong ? [] : entry.flatMap((row) => row.default || []);
  return renderCells([names.map(asCode), first.range, defaults.map(asCode), textOf(entry) + secrecy(first)]);
}

/** A table of their own for families that a cell does not hold. */
function renderMembers(entry: Entry): string[] {
  if (entry.length <= maxNames) return [];
  const rows = entry.map((row) => renderCells([asCode(row.name), asCode(row.default ?? ""), row.text]));
  return [`| \`${entry[0].family!.name}\` | Default | Limits |`, "|---|---|---|", ...rows, ""];
}

const asCode = (text: string) => `\`${text}\``;

function renderCells(cells: readonly (string | readonly string[])[]): string {
  return `| ${cells.map((cell) => [cell].flat().join(", ").replaceAll("|", "\\|")).join(" | ")} |`;
}

function secrecy({ isSecret }: Setting): string {
  return isSecret ? " (secret)" : "";
}

function wrap(text: string): string[] {
  const lines = ["#"];
  for (const word of text.split(" ")) {
    if (lines.at(-1)!.length + word.length + 1 > lineWidth) lines.push("#");
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}
