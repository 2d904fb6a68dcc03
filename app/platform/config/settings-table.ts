import { settings } from "./settings";
import type { Setting } from "./setting";

const startMark = "<!-- settings:start -->";
const endMark = "<!-- settings:end -->";

/** The configuration tables of the README: every setting with its default and effect, one table for each group. */
export function renderSettingsTable(all: readonly Setting[] = settings): string {
  const groups = [...new Set(all.map((setting) => setting.group))];
  return groups
    .map((group) => renderGroup({ group, members: all.filter((setting) => setting.group === group) }))
    .join("\n\n");
}

/** `text` with what stands between its two marks replaced; a text without them is refused, not left stale. */
export function withSettingsTable({ text, table }: { text: string; table: string }): string {
  const parts = text.split(startMark);
  const [head = "", rest = ""] = parts;
  const tail = rest.split(endMark);
  if (parts.length !== 2 || tail.length !== 2) {
    throw new Error(`The text must hold ${startMark} and, after it, ${endMark}, once each.`);
  }
  return `${head}${startMark}\n\n${table}\n\n${endMark}${tail[1]}`;
}

function renderGroup({ group, members }: { group: string; members: readonly Setting[] }): string {
  return [
    `**${group}**`,
    "",
    "| Setting | Default | Effect |",
    "|---|---|---|",
    ...members.map(renderRow),
  ].join("\n");
}

function renderRow({ name, default: given, effect, secret }: Setting): string {
  const cells = [`\`${name}\``, given ? `\`${given}\`` : "", `${effect}${secret ? " (secret)" : ""}`];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
