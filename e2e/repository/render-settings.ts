import { listSettings } from "~/platform/config/setting";
import type { Setting, SettingGroup } from "~/platform/config/setting";

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
  const body = groups.flatMap(({ title, rows }) => [
    "",
    `## ${title}`,
    ...listSettings(rows).flatMap((row) => [
      "",
      ...wrap(`${row.text} Range: ${row.range}.${secrecy(row)}`),
      `# ${row.name}=${row.default ?? ""}`,
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
  const tables = groups.map(({ title, rows }) => {
    const heading = [`## ${title}`, "", "| Setting | Range | Default | Effect |", "|---|---|---|---|"];
    return [...heading, ...listSettings(rows).map(renderRow), ""].join("\n");
  });
  const foot = `
\`npm run env-example\` writes this page and \`.env.example\` from the rows that the server reads: \`*.settings.ts\` beside
each feature.
`;
  return [head, ...tables, foot].join("\n");
}

function renderRow(row: Setting): string {
  const { name, text, range } = row;
  const effect = `${text}${secrecy(row)}`;
  const cells = [`\`${name}\``, range, row.default ? `\`${row.default}\`` : "", effect];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
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
