/** What the page at /docs shows: the API description, made readable once on the server. */
export type Reference = {
  origin: string;
  version: string;
  introductionHtml: string;
  groups: ReferenceGroup[];
  /** Headers that many answers carry. */
  headers: NamedText[];
};

export type ReferenceGroup = { name: string; description: string; operations: ReferenceOperation[] };
export type NamedText = { name: string; description: string };
export type Method = "GET" | "POST" | "DELETE";

export type ReferenceOperation = {
  id: string;
  method: Method;
  path: string;
  summary: string;
  descriptionHtml: string;
  access: ReferenceAccess;
  parameters: ReferenceParameter[];
  body: ReferenceBody | null;
  answers: ReferenceAnswer[];
  refusals: ReferenceRefusal[];
};

export type ReferenceAccess = {
  /** The session of a signed-in browser counts. */
  takesSession: boolean;
  /** A secret for the Authorization header, and the variable that stands for it in what is copied. */
  secret: { description: string; variable: string } | null;
  /** Nothing has to be proved. */
  isOpen: boolean;
};

export type ReferenceParameter = {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  type: string;
  isRequired: boolean;
  example: string;
};

export type ReferenceBody = {
  isRequired: boolean;
  examples: { name: string; summary: string; text: string }[];
  schema: SchemaNode;
};

export type ReferenceAnswer = {
  status: number;
  descriptionHtml: string;
  contentTypes: string[];
  /** Of this answer alone. */
  headers: NamedText[];
  example: string | null;
  schema: SchemaNode | null;
};

export type ReferenceRefusal = { status: number; slug: string; title: string };

export type SchemaNode = {
  name: string | null;
  type: string;
  isRequired: boolean;
  description: string;
  /** Limits and formats in words. */
  facts: string[];
  children: SchemaNode[];
};

/** What is sent in a try and stands in what is copied. */
export type RequestValues = {
  /** By place and name, as in `path:tokenId`; an empty one is left out. */
  parameters: Record<string, string>;
  body: string;
  /** As who: with the browser's session, with a secret, or as nobody in particular. */
  as: "session" | "secret" | "nobody";
};

export function parameterKey(parameter: Pick<ReferenceParameter, "in" | "name">): string {
  return `${parameter.in}:${parameter.name}`;
}

/** The values of the examples; what is optional stays empty. */
export function startingValues(operation: ReferenceOperation): RequestValues {
  const { parameters, body } = operation;
  return {
    parameters: Object.fromEntries(
      parameters.map((parameter) => [parameterKey(parameter), parameter.isRequired ? parameter.example : ""]),
    ),
    body: body?.examples[0]?.text ?? "",
    as: usualAs({ operation, isSignedIn: false }),
  };
}

/** As whom a call is sent while nobody has chosen: as the visitor wherever that works, else with what is needed. */
export function usualAs({
  operation: { access },
  isSignedIn,
}: {
  operation: ReferenceOperation;
  isSignedIn: boolean;
}): RequestValues["as"] {
  if (access.takesSession && (isSignedIn || !access.isOpen || !access.secret)) return "session";
  return access.isOpen || !access.secret ? "nobody" : "secret";
}

/** Parameters of one place that have a value, in the order of the description. */
export function listGiven(
  operation: ReferenceOperation,
  values: RequestValues,
  place: ReferenceParameter["in"],
): { parameter: ReferenceParameter; value: string }[] {
  return operation.parameters.flatMap((parameter) => {
    const value = values.parameters[parameterKey(parameter)] ?? "";
    return parameter.in === place && value !== "" ? [{ parameter, value }] : [];
  });
}

/** Path and query with the values in their places. A slash in a value stays one: names of files may have them. */
export function fillPath(operation: ReferenceOperation, values: RequestValues): string {
  const inPath = new Map(
    listGiven(operation, values, "path").map(({ parameter, value }) => [parameter.name, value]),
  );
  const path = operation.path.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const value = inPath.get(name);
    return value === undefined ? whole : value.split("/").map(encodeURIComponent).join("/");
  });
  const query = listGiven(operation, values, "query")
    .map(({ parameter, value }) => `${encodeURIComponent(parameter.name)}=${encodeURIComponent(value)}`)
    .join("&");
  return query === "" ? path : `${path}?${query}`;
}

/** The kind of content a successful call answers with; null where it has none. */
export function mainContentType(operation: ReferenceOperation): string | null {
  return operation.answers[0]?.contentTypes[0] ?? null;
}
