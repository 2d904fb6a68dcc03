import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settings } from "./settings";
import { renderSettingsTable, withSettingsTable } from "./settings-table";

test("the README shows every setting as the parser knows it", () => {
  const readme = readFileSync("README.md", "utf8");
  expect(readme, "Run `npm run env-example`.").toBe(
    withSettingsTable({ text: readme, table: renderSettingsTable() }),
  );
});

test("each setting has one row, with its default and whether it is secret", () => {
  const rows = renderSettingsTable()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  expect(rows).toHaveLength(settings.length);
  expect(rows).toContain("| `HOST` | `0.0.0.0` | Address the server listens on. |");
  expect(rows).toContainEqual(
    expect.stringMatching(/^\| `JWT_SECRET` \| {2}\| Secret for HS256.* \(secret\) \|$/),
  );
});

test("a bar in an effect does not break the table", () => {
  const table = renderSettingsTable([{ name: "A", group: "Gate", effect: "this | that", default: "x|y" }]);
  expect(table.split("\n").at(-1)).toBe("| `A` | `x\\|y` | this \\| that |");
});

test("only what stands between the marks is replaced", () => {
  const text = "before\n<!-- settings:start -->\nold\n<!-- settings:end -->\nafter\n";
  expect(withSettingsTable({ text, table: "new" })).toBe(
    "before\n<!-- settings:start -->\n\nnew\n\n<!-- settings:end -->\nafter\n",
  );
});

test.each([
  "no marks at all",
  "<!-- settings:start -->",
  "<!-- settings:end --><!-- settings:start -->",
  "<!-- settings:start --><!-- settings:end --><!-- settings:start --><!-- settings:end -->",
])("a text whose marks are missing or doubled is refused: %s", (text) => {
  expect(() => withSettingsTable({ text, table: "new" })).toThrow("once each");
});
