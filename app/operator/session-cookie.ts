/** Of the operator's view alone; browsers send it to addresses below it and nowhere else. */
export const operatorCookieName = "latchkey_operator";

/** No script can read it, and no other site's request or link brings it along. */
export function writeOperatorCookie({
  value,
  maxAgeSeconds,
  isSecure,
}: {
  value: string;
  maxAgeSeconds: number;
  isSecure: boolean;
}): string {
  const secure = isSecure ? "; Secure" : "";
  return `${operatorCookieName}=${value}; Path=/operator; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

export function clearOperatorCookie({ isSecure }: { isSecure: boolean }): string {
  return writeOperatorCookie({ value: "", maxAgeSeconds: 0, isSecure });
}
