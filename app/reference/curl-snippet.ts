import { fillPath, listGiven, mainContentType } from "./reference";
import type { ReferenceOperation, RequestValues } from "./reference";

type SnippetOptions = { operation: ReferenceOperation; values: RequestValues; origin: string };

/** The call as a line for a POSIX shell. Secrets stand as variables, whatever was typed on the page. */
export function writeCurl({ operation, values, origin }: SnippetOptions): string {
  const hasBody = operation.body !== null && values.body.trim() !== "";
  const isPlain = operation.method === "GET" || (operation.method === "POST" && hasBody);
  const contentType = mainContentType(operation) ?? "";
  const secret = operation.access.secret?.variable;
  const parts = [
    contentType === "text/event-stream" ? "curl -sSN" : "curl -sS",
    isPlain ? "" : `-X ${operation.method}`,
    quote(`${origin}${fillPath(operation, values)}`),
  ];
  const options = [
    ...(values.as === "nobody" || !secret ? [] : [`-H "Authorization: Bearer $${secret}"`]),
    ...listGiven(operation, values, "header").map(
      ({ parameter, value }) => `-H ${quote(`${parameter.name}: ${value}`)}`,
    ),
    ...(hasBody ? ["-H 'Content-Type: application/json'", `-d ${quote(values.body)}`] : []),
    ...(/^(audio|image)\//.test(contentType) ? ["-o answer.bin"] : []),
  ];
  return [parts.filter(Boolean).join(" "), ...options].join(" \\\n  ");
}

/** One word for a shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
