import { readFileSync, readdirSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { Refusal, refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { redactText } from "~/platform/log/redact";

/** Texts for browsers and the API's description aren't logged. */
const unlogged = /\.test\.|\.tsx$|\.openapi\.ts$|(?:^|\/)(?:generated|page|openapi|reference|api-client)\//;

/** Finds texts that read as sentences. A placeholder counts as a word. */
function listSentences(file: string): string[] {
  const sentences: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? node.head.text + node.templateSpans.map(({ literal }) => `something${literal.text}`).join("")
        : "";
    if (/^(?:\S+ ){3,}\S+$/.test(text)) sentences.push(text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest));
  return sentences;
}

const files = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(?:ts|mjs)$/.test(file) && !unlogged.test(file))
  .map((file) => `app/${file}`);

test("the messages that docs/operating.md names are logged, and none has a variable part", () => {
  const [, listed] = /searching for, as beginnings: ([^]*?)\.\n/.exec(
    readFileSync("docs/operating.md", "utf8"),
  )!;
  const sources = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const messages = [...listed!.matchAll(/`([^`]+)`/g)].map(([, message]) => message!);
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => !sources.includes(`"${message}`))).toEqual([]);
  expect(sources).not.toMatch(/\blog\??\.(?:info|warn|error)\((?:\{[^()]*\}, )?`/);
});

test("the product's own sentences are logged as they are", () => {
  const sentences = files.flatMap(listSentences);
  expect(sentences.length).toBeGreaterThan(800);
  const refusals = Object.keys(refusalTable).map((name) => new Refusal(name as RefusalName).message);
  expect([...sentences, ...refusals].filter((sentence) => redactText(sentence) !== sentence)).toEqual([]);
});
