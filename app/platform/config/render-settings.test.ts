import { expect, test } from "vitest";
import { secret, text } from "./kinds";
import { renderEnvExample, renderSettingsPage } from "./render-settings";

const rows = {
  plain: text("PLAIN", { default: "x|y" }, "this | that"),
  hidden: secret("HIDDEN", {}, `Some ${"long ".repeat(30)}text.`),
};
const groups = [{ title: "Group", rows: { nested: rows } }];

test("each setting has one line in its group's table, and a vertical bar does not break it", () => {
  const page = renderSettingsPage(groups);
  expect(page).toContain("## Group\n\n| Setting | Default | Effect |");
  expect(page).toContain("| `PLAIN` | `x\\|y` | this \\| that |\n| `HIDDEN` |  | Some long");
  expect(page).toMatch(/text\. \(secret\) \|\n/);
});

test("texts are wrapped in .env.example, and every setting is commented out", () => {
  const lines = renderEnvExample(groups).split("\n");
  expect(lines).toContain("# PLAIN=x|y");
  expect(lines).toContain("# HIDDEN=");
  for (const line of lines) expect(line).toMatch(/^(#.{0,107})?$/);
});
