import { expect, test } from "vitest";
import { highlight } from "./code-highlighter.client";

function kindsOf(code: string, language: string): string[] {
  const html = highlight(code, language) ?? "";
  return [...html.matchAll(/<span class="hljs-(\w+)[^"]*">([^<]*)/g)].map(
    ([, kind, text]) => `${kind}:${text}`,
  );
}

test.each([
  ["ts", "const a = 1; // end", ["keyword:const", "number:1", "comment:// end"]],
  ["js", "return 'x'", ["keyword:return", "string:&#x27;x&#x27;"]],
  ["bash", "if true; then # why", ["keyword:if", "keyword:then", "comment:# why"]],
  ["yaml", "# why", ["comment:# why"]],
  ["sql", "SELECT 1", ["keyword:SELECT", "number:1"]],
  ["json", '{"a": true}', ["attr:&quot;a&quot;", "keyword:true"]],
  ["diff", "+new\n-old", ["addition:+new", "deletion:-old"]],
])("the parts of %s code are highlighted by kind", (language, code, kinds) => {
  expect(kindsOf(code, language)).toEqual(expect.arrayContaining(kinds));
});

test("markup in code is shown as text", () => {
  expect(highlight("<img src=x onerror=alert(1)>", "html")).not.toContain("<img");
  expect(highlight('"<script>"', "ts")).not.toContain("<script>");
});

test("code in an unknown language and very long code are shown plain", () => {
  expect(highlight("a", "klingon")).toBeNull();
  expect(highlight("a", "")).toBeNull();
  expect(highlight("a".repeat(20_001), "ts")).toBeNull();
});
