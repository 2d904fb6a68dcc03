import { listEntries, listSettings } from "~/platform/config/setting";
import type { Setting, SettingGroup, Settings } from "~/platform/config/setting";

const lineWidth = 108;

/** Only compose.yaml reads these, not the server. */
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

/** Nearly every gate in production sets these. */
const commonSettings: readonly (readonly [name: string, use: string])[] = [
  ["CHAIN_ID", "the chain of your key contract"],
  ["RPC_URL", "the chain's endpoints, the best first"],
  ["KEY_CONTRACT_ADDRESS", "the key contract"],
  ["KEY_STANDARD", "`erc721`, `erc1155` or `unlock`"],
  ["NEXT_PUBLIC_DOMAIN", "the gate's host name"],
  ["JWT_SECRET", "signs access tokens: `openssl rand -hex 32`"],
  ["TRUST_PROXY", "the proxy in front, so that limits count visitors"],
  ["CONTENT_DIR", "[what a key opens](content.md)"],
  ["DATA_DIR", "the SQLite database and caches"],
  ["DATABASE_URL", "[PostgreSQL](databases.md), if you use it"],
  ["AI_PROVIDER", "[who answers in the chat](chat.md#providers), or `disabled`"],
  ["OPERATOR_SECRET", "switches [the operator's view](operator.md) on"],
];

/** Longer descriptions keep the default and the sentences that fit. `.env.example` has everything. */
const mostWords = 16;

/** The text of docs/settings.md. */
export function renderSettingsPage(groups: readonly SettingGroup[]): string {
  const common = commonSettings.map(([name, use]) => `| \`${name}\` | ${use} |`);
  const head = `# Settings

Settings come from the environment, or from \`.env\` in the current folder (\`npm start\` reads the one beside
\`package.json\`). The environment wins. Every mistake is reported at start-up, by name and without values. A name that is
one slip away from a setting stops the start in production. \`.env.example\` has the whole description of each setting.

## The twelve you need first

| Setting | For |
|---|---|
${common.join("\n")}

Without chat, speech and tools: [gate only](gate-only.md). All settings follow.
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

/** The most names of a family in one cell. */
const maxNames = 4;

/** Entries whose first setting is in `rows`. */
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
  return renderCells([
    names.map(asCode),
    first.range,
    defaults.map(asCode),
    shorten(textOf(entry)) + secrecy(first),
  ]);
}

/** A separate table for families that don't fit a cell. */
function renderMembers(entry: Entry): string[] {
  if (entry.length <= maxNames) return [];
  const rows = entry.map((row) =>
    renderCells([asCode(row.name), row.default ? asCode(row.default) : "", shorten(row.text)]),
  );
  return [`| \`${entry[0].family!.name}\` | Default | Effect |`, "|---|---|---|", ...rows, ""];
}

const asCode = (text: string) => `\`${text}\``;

function renderCells(cells: readonly (string | readonly string[])[]): string {
  return `| ${cells.map((cell) => [cell].flat().join(", ").replaceAll("|", "\\|")).join(" | ")} |`;
}

function shorten(text: string): string {
  const [first = "", ...more] = text.split(/(?<=\.) (?=[A-Z`])/);
  let words = countWords(first);
  const fitting = more.filter((sentence) => {
    const isFitting = /^Default\b/.test(sentence) || words + countWords(sentence) <= mostWords;
    if (isFitting) words += countWords(sentence);
    return isFitting;
  });
  return [first, ...fitting].join(" ");
}

function countWords(text: string): number {
  return text.split(" ").length;
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
