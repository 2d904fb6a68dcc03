import type { ReferenceOperation, ReferenceParameter } from "./read-reference";

/** What a visitor fills in for a try; what is copied says the same, with a variable for the secret. */
export type RequestValues = {
  /** By kind and name, as in `path:tokenId`; an empty one is omitted. */
  parameters: Record<string, string>;
  body: string;
  /** As who: with the browser's session, with a secret, or as nobody in particular. */
  as: "session" | "secret" | "nobody";
  secret: string;
};

export function parameterKey(parameter: Pick<ReferenceParameter, "in" | "name">): string {
  return `${parameter.in}:${parameter.name}`;
}

export function startingValues(operation: ReferenceOperation, isSignedIn = false): RequestValues {
  return {
    parameters: Object.fromEntries(
      operation.parameters.map((parameter) => [
        parameterKey(parameter),
        parameter.isRequired ? parameter.example : "",
      ]),
    ),
    body: operation.body?.examples[0]?.text ?? "",
    as: usualAs(operation, isSignedIn),
    secret: "",
  };
}

/** As whom a call is sent while nobody has chosen: as the visitor wherever that works, else with what is needed. */
export function usualAs({ access }: ReferenceOperation, isSignedIn: boolean): RequestValues["as"] {
  if (access.takesSession && (isSignedIn || !access.isOpen || !access.secret)) return "session";
  return access.isOpen || !access.secret ? "nobody" : "secret";
}

/** The request as it is sent, but for the secret. A slash in a value stays one: names of files may have them. */
export function buildRequest(operation: ReferenceOperation, values: RequestValues) {
  const given = operation.parameters
    .map((parameter) => ({ ...parameter, value: values.parameters[parameterKey(parameter)] ?? "" }))
    .filter(({ value }) => value !== "");
  const path = given
    .filter((one) => one.in === "path")
    .reduce(
      (text, { name, value }) =>
        text.replace(`{${name}}`, () => value.split("/").map(encodeURIComponent).join("/")),
      operation.path,
    );
  const query = given
    .filter((one) => one.in === "query")
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  return {
    method: operation.method,
    path: query === "" ? path : `${path}?${query}`,
    headers: given
      .filter((one) => one.in === "header")
      .map(({ name, value }): [string, string] => [name, value]),
    body: operation.body && values.body.trim() !== "" ? values.body : undefined,
  };
}

/** The call as a line for a POSIX shell. Secrets stand as variables, whatever was typed on the page. */
export function writeCurl(operation: ReferenceOperation, values: RequestValues, origin: string): string {
  const { method, path, headers, body } = buildRequest(operation, values);
  const isPlain = method === "GET" || (method === "POST" && body !== undefined);
  const contentType = operation.answers[0]?.contentTypes[0] ?? "";
  const { secret } = operation.access;
  const isStream = contentType === "text/event-stream";
  const call = `curl ${isStream ? "-sSN" : "-sS"} ${isPlain ? "" : `-X ${method} `}${quote(`${origin}${path}`)}`;
  const options = [
    values.as !== "nobody" && secret ? `-H "Authorization: Bearer $${secret}"` : "",
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    body === undefined ? "" : `-H 'Content-Type: application/json' \\\n  -d ${quote(body)}`,
    /^(audio|image)\//.test(contentType) ? "-o answer.bin" : "",
  ];
  return [call, ...options].filter(Boolean).join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
