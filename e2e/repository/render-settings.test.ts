import { expect, test } from "vitest";
import { integer, secret, text } from "~/platform/config/kinds";
import { settings } from "~/settings.server";
import { renderEnvExample, renderSettingsPage } from "./render-settings";

const rows = {
  plain: text("PLAIN", { default: "x|y" }, "this | that"),
  count: integer("COUNT", { min: 2, max: 8 }, "How many."),
  hidden: secret("HIDDEN", { range: "hard to guess" }, `Some ${"long ".repeat(30)}text.`),
};
const groups = [{ title: "Group", rows: { nested: rows } }];

test("each setting has one line in its group's table, and a vertical bar does not break it", () => {
  const page = renderSettingsPage(groups);
  expect(page).toContain("## Group\n\n| Setting | Range | Default | Effect |");
  expect(page).toContain(
    "| `PLAIN` | text | `x\\|y` | this \\| that |\n| `COUNT` | 2 to 8 |  | How many. |\n",
  );
  expect(page).toMatch(/\| `HIDDEN` \| hard to guess \|\s+\| Some long .* text\. \(secret\) \|\n/);
});

test("a long description keeps its first sentence and those that fit; .env.example has all of it", () => {
  const long = `First. The ${"word ".repeat(24)}end. Default: none.`;
  const group = [{ title: "Group", rows: { row: text("LONG", {}, long) } }];
  expect(renderSettingsPage(group)).toContain("| `LONG` | text |  | First. Default: none. |");
  expect(renderEnvExample(group).replaceAll("\n#", "")).toContain(long);
});

test("the settings that come first on the page exist", () => {
  const [common = ""] = renderSettingsPage(groups).split("## Group");
  const names = [...common.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);
  expect(names).toHaveLength(12);
  const known = settings.map(({ name }) => name);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test("texts are wrapped in .env.example, and every setting is commented out", () => {
  const lines = renderEnvExample(groups).split("\n");
  expect(lines).toContain("# PLAIN=x|y");
  expect(lines).toContain("# HIDDEN=");
  expect(lines).toContain("# How many. Range: 2 to 8.");
  expect(lines.join("\n")).toMatch(/text\. Range: hard to guess\. \(secret\)/);
  for (const line of lines) expect(line).toMatch(/^(#.{0,107})?$/);
});
