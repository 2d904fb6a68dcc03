import { settings } from "./settings";
import type { Setting } from "./setting";

const lineWidth = 108;

/** No settings of the server: compose.yaml makes its databases and their addresses from them. */
const composePasswords = [
  ...[
    "",
    "## Containers",
    "",
    "# Passwords that compose.yaml needs, and it alone. Each from: openssl rand -hex 24 (secret)",
  ],
  ...["# POSTGRES_PASSWORD=", "# REDIS_PASSWORD="],
];

/** The text of `.env.example`: every setting with its default and effect, in the groups operators think in. */
export function renderEnvExample(): string {
  const groups = groupSettings(settings);
  const head = [
    "# Settings of Latchkey. Copy this file to .env and change what you need; `npm start` reads it.",
    "# A line that is commented out shows the default, or an empty place where there is none.",
    "# Made by `npm run env-example`; a test keeps it in step with the parser.",
  ];
  const body = groups.flatMap(([group, members]) => ["", `## ${group}`, ...members.flatMap(renderSetting)]);
  return [...head, ...body, ...composePasswords, ""].join("\n");
}

function groupSettings(all: readonly Setting[]): [string, Setting[]][] {
  const groups = new Map<string, Setting[]>();
  for (const setting of all) groups.set(setting.group, [...(groups.get(setting.group) ?? []), setting]);
  return [...groups];
}

function renderSetting(setting: Setting): string[] {
  const secretNote = setting.secret ? " (secret)" : "";
  return ["", ...wrap(`${setting.effect}${secretNote}`), `# ${setting.name}=${setting.default ?? ""}`];
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = "#";
  for (const word of text.split(" ")) {
    if (line.length + word.length + 1 > lineWidth) {
      lines.push(line);
      line = "#";
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
