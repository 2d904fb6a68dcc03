import { listGiven, mainContentType } from "./reference";
import type { ReferenceOperation, ReferenceParameter, RequestValues } from "./reference";

type SnippetOptions = { operation: ReferenceOperation; values: RequestValues; origin: string };

/** Where the snippets expect the types that `openapi-typescript` makes of this gate's description. */
export const typesModule = "./gate-api";

/** The call through the typed client. Secrets come from the environment, whatever was typed on the page. */
export function writeTypeScript({ operation, values, origin }: SnippetOptions): string {
  const options = writeOptions({ operation, values });
  const path = JSON.stringify(operation.path);
  const reading = readingOf(operation);
  return [
    'import createClient from "openapi-fetch";',
    `import type { paths } from "${typesModule}";`,
    "",
    `const client = createClient<paths>({ baseUrl: ${JSON.stringify(origin)} });`,
    `const { ${parseAs(operation) === "stream" ? "error, response" : "data, error"} } = await client.${operation.method}(${path}${options === "" ? "" : `, ${options}`});`,
    `if (error) throw new Error(${wordsOfError(operation)});`,
    ...reading,
    "",
  ].join("\n");
}

function writeOptions({ operation, values }: Omit<SnippetOptions, "origin">): string {
  const { secret } = operation.access;
  const params = (["path", "query", "header"] as const).flatMap((place) => {
    const given = listGiven({ operation, values, place });
    const members = given.map(
      ({ parameter, value }) => `${writeKey(parameter.name)}: ${writeValue({ parameter, value })}`,
    );
    return members.length === 0 ? [] : [`${place}: { ${members.join(", ")} }`];
  });
  const parse = parseAs(operation);
  const options = [
    ...(params.length > 0 ? [`params: { ${params.join(", ")} }`] : []),
    ...(values.as !== "nobody" && secret
      ? [`headers: { Authorization: \`Bearer \${process.env.${secret.variable}}\` }`]
      : []),
    ...(operation.body && values.body.trim() !== "" ? [`body: ${writeBody(values.body)}`] : []),
    ...(parse ? [`parseAs: "${parse}"`] : []),
  ];
  return options.length === 0 ? "" : `{\n${options.map((option) => `  ${option},\n`).join("")}}`;
}

function parseAs(operation: ReferenceOperation): "stream" | "blob" | "text" | null {
  const contentType = mainContentType(operation) ?? "application/json";
  if (contentType === "text/event-stream") return "stream";
  if (/^(audio|image)\//.test(contentType)) return "blob";
  return contentType.startsWith("text/") ? "text" : null;
}

function readingOf(operation: ReferenceOperation): string[] {
  if (parseAs(operation) !== "stream") return ["console.log(data);"];
  return [
    "const reader = response.body!.getReader();",
    "const decoder = new TextDecoder();",
    "for (let part = await reader.read(); !part.done; part = await reader.read()) {",
    "  console.log(decoder.decode(part.value, { stream: true }));",
    "}",
  ];
}

function wordsOfError({ errorShape }: ReferenceOperation): string {
  if (errorShape === "problem") return "`${error.title}: ${error.detail}`";
  return errorShape === "error" ? "error.error" : "JSON.stringify(error)";
}

function writeValue({ parameter, value }: { parameter: ReferenceParameter; value: string }): string {
  const isNumber = parameter.isNumber && value.trim() !== "" && Number.isFinite(Number(value));
  return isNumber ? String(Number(value)) : JSON.stringify(value);
}

function writeBody(text: string): string {
  try {
    return writeLiteral({ value: JSON.parse(text) as unknown, indent: "  " });
  } catch {
    return "{ /* The body is not JSON yet. */ }";
  }
}

function writeLiteral({ value, indent }: { value: unknown; indent: string }): string {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => writeLiteral({ value: entry, indent: deeper }));
    const line = `[${entries.join(", ")}]`;
    return line.length < 80 && !line.includes("\n")
      ? line
      : `[\n${entries.map((entry) => `${deeper}${entry},\n`).join("")}${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${writeKey(key)}: ${writeLiteral({ value: member, indent: deeper })}`,
  );
  const line = members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  return line.length < 80 && !line.includes("\n")
    ? line
    : `{\n${members.map((member) => `${deeper}${member},\n`).join("")}${indent}}`;
}

function writeKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
