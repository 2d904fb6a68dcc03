import { readCookie } from "~/platform/http/header-text";

/** In the order of lookup. */
type TokenLocation = "authorization" | "body.jwt" | "body.data.jwt" | "cookie" | "query";

/** `value` is as sent, of any type. */
export type FoundToken = { location: TokenLocation; value: unknown };

type TokenCarrier = {
  authorization: string | undefined;
  body: unknown;
  cookie: string | undefined;
  searchParams: URLSearchParams;
};

export const sessionCookieName = "access_token";
const cookieNames = [sessionCookieName, "jwt"];

/** The first one present decides, even if invalid or empty. Only null counts as absent. */
export function findToken({ authorization, body, cookie, searchParams }: TokenCarrier): FoundToken | null {
  if (authorization !== undefined) return { location: "authorization", value: authorization };
  const inBody = readOwn(body, "jwt");
  if (inBody !== null) return { location: "body.jwt", value: inBody };
  const inData = readOwn(readOwn(body, "data"), "jwt");
  if (inData !== null) return { location: "body.data.jwt", value: inData };
  for (const name of cookieNames) {
    const inCookie = readCookie(cookie, name);
    if (inCookie !== null) return { location: "cookie", value: inCookie };
  }
  const inQuery = searchParams.get("jwt");
  return inQuery === null ? null : { location: "query", value: inQuery };
}

/** Ignores inherited members. */
function readOwn(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.hasOwn(value, name) ? ((value as Record<string, unknown>)[name] ?? null) : null;
}

export function writeSessionCookie(token: string, maxAgeSeconds: number, origin: string): string {
  const age = Math.max(0, Math.floor(maxAgeSeconds));
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${sessionCookieName}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}
