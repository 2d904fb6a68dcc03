/** The first of the names under which a token in a cookie is looked for; see token-locations.ts. */
export const sessionCookieName = "access_token";

/** No script can read it, and no other site's request brings it along. `Secure` wherever the site itself is. */
export function writeSessionCookie(token: string, maxAgeSeconds: number, isSecure: boolean): string {
  const age = Math.max(0, Math.floor(maxAgeSeconds));
  const secure = isSecure ? "; Secure" : "";
  return `${sessionCookieName}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** Makes the browser forget it. */
export function clearSessionCookie(isSecure: boolean): string {
  return writeSessionCookie("", 0, isSecure);
}
