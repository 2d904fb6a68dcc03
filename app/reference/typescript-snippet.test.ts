import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { findReferenceOperation, listReferenceOperations } from "~/testing/api-reference";
import { startingValues } from "./reference";
import type { RequestValues } from "./reference";
import { writeTypeScript } from "./typescript-snippet";

const origin = "https://gate.example";
const projectDir = fileURLToPath(new URL("../..", import.meta.url));
/** Beside the generated types, so that the snippets find them and the client; none of these files exists. */
const folder = path.join(projectDir, "app/api-client");

/** What the compiler says of each of the texts, as files of one program. */
function compile(texts: Record<string, string>): string[] {
  const files = new Map(
    Object.entries({ "gate-api": 'export type * from "./api-types";\n', ...texts }).map(([name, text]) => [
      path.join(folder, `${name}.ts`),
      text,
    ]),
  );
  const configFile = ts.readConfigFile(path.join(projectDir, "tsconfig.json"), (file) =>
    ts.sys.readFile(file),
  );
  const { options } = ts.parseJsonConfigFileContent(configFile.config, ts.sys, projectDir);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => files.get(path.normalize(name)) ?? readFile(name);
  host.fileExists = (name) => files.has(path.normalize(name)) || fileExists(name);
  host.getSourceFile = (name, target) => {
    const text = host.readFile(name);
    return text === undefined ? undefined : ts.createSourceFile(name, text, target);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${path.basename(file?.fileName ?? "")}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
}

function writeAll(): Record<string, string> {
  return Object.fromEntries(
    listReferenceOperations().flatMap((operation) => {
      const values = startingValues(operation);
      const filled = Object.fromEntries(
        operation.parameters.map((parameter) => [`${parameter.in}:${parameter.name}`, parameter.example]),
      );
      const bodies = operation.body ? ["", ...operation.body.examples.map(({ text }) => text)] : [""];
      const variants: RequestValues[] = [
        values,
        ...bodies
          .filter((body) => body !== "" || operation.body?.isRequired === false)
          .map((body): RequestValues => ({ parameters: filled, body, as: "secret" })),
      ];
      return variants.map((variant, index) => [
        `${operation.id}-${index}`,
        writeTypeScript({ operation, values: variant, origin }),
      ]);
    }),
  );
}

/** The compiler reads all of the types, which takes a busy machine its time. */
const compileWithinMs = 120_000;

test(
  "the TypeScript of every operation compiles with every example and everything that may be given, and a wrong one does not",
  () => {
    const [, inDocs] =
      /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(path.join(projectDir, "docs/api.md"), "utf8")) ?? [];
    expect(inDocs).toContain("openapi-fetch");
    const texts: Record<string, string> = { ...writeAll(), "in-docs": inDocs! };
    expect(Object.keys(texts).length).toBeGreaterThan(listReferenceOperations().length);
    const chat = texts["chat-0"]!;
    const wrong = {
      "wrong-address": chat.replace('"/api/chat"', '"/api/chats"'),
      "wrong-member": chat.replace("role:", "rule:"),
    };
    const found = compile({ ...texts, ...wrong });
    const names = new Set(found.map((text) => text.split(":")[0]));
    expect([...names].toSorted(), found.join("\n")).toEqual(["wrong-address.ts", "wrong-member.ts"]);
  },
  compileWithinMs,
);

test("a secret comes from the environment, and a body that is no JSON is said to be none", () => {
  const operation = findReferenceOperation("chat");
  const values = startingValues(operation);
  const text = writeTypeScript({ operation, values: { ...values, as: "session", body: "{" }, origin });
  expect(text).toContain("headers: { Authorization: `Bearer ${process.env.ACCESS_TOKEN}` }");
  expect(text).toContain("The body is not JSON yet.");
});
