import { expect, test } from "vitest";
import { replaceBetweenMarks } from "../replace-between-marks";
import { toolOperations } from "./tool-operations";

test("lists and searches are measured in both revisions, the tools about a key in the newest, each beside the official SDK", () => {
  expect(toolOperations.map(({ name }) => name)).toEqual([
    ...["tools/list, 2026-07-28", "tools/call libsql_search, 2026-07-28"],
    ...["tools/list, 2025-11-25", "tools/call libsql_search, 2025-11-25"],
    ...["tools/call key_status, 2026-07-28", "tools/call get_gated_content, 2026-07-28"],
    "tools/call mark_key_used, 2026-07-28",
  ]);
  for (const { sides } of toolOperations) expect(Object.keys(sides)).toEqual(["Latchkey", "MCP SDK"]);
});

test("the table is written between its marks and nowhere else", () => {
  const document = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb";
  expect(replaceBetweenMarks(document, "x", "new")).toBe("a\n<!-- x:begin -->\n\nnew\n\n<!-- x:end -->\nb");
  expect(() => replaceBetweenMarks(document, "y", "new")).toThrow(/lacks/);
});
