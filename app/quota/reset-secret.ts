type Headers = Readonly<Record<string, string | string[] | undefined>>;

const secretHeaders = ["x-quota-reset-secret", "x-ai-quota-reset-secret"] as const;

/** The first header that holds something decides. An Authorization header of another scheme holds no secret. */
export function findSecretInHeaders(headers: Headers): string | null {
  for (const name of secretHeaders) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value;
  }
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization?.toString() ?? "");
  return bearer?.[1] ?? null;
}

/** Looked at after the headers: the body before the query. Of whatever type, what is there decides. */
export function findSecretInRequest(body: unknown, searchParams: URLSearchParams): unknown {
  if (typeof body === "object" && body !== null && Object.hasOwn(body, "secret")) {
    const { secret } = body as { secret: unknown };
    if (secret !== null && secret !== "") return secret;
  }
  return searchParams.get("secret") || null;
}
