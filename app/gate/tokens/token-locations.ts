import { readCookie } from "~/platform/http/header-text";

/** Where a request may carry its access token, in the order they are looked at. */
export type TokenLocation = "authorization" | "body.jwt" | "body.data.jwt" | "cookie" | "query";

/** `value` is as it was sent, of whatever type: what is there is judged, never passed over. */
export type FoundToken = { location: TokenLocation; value: unknown };

export type TokenCarrier = {
  authorization: string | undefined;
  body: unknown;
  cookie: string | undefined;
  searchParams: URLSearchParams;
};

export const sessionCookieName = "access_token";
const cookieNames = [sessionCookieName, "jwt"];

/** The first one present decides, good or bad, empty ones too. Only null is absent: JSON says so. */
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

/** Own members only: nothing inherited may pass for something that was sent. */
function readOwn(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.hasOwn(value, name) ? ((value as Record<string, unknown>)[name] ?? null) : null;
}

/** No script can read it, and no other site's request brings it along. `Secure` wherever the site itself is. */
export function writeSessionCookie(token: string, maxAgeSeconds: number, origin: string): string {
  const age = Math.max(0, Math.floor(maxAgeSeconds));
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${sessionCookieName}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}
