import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "~/platform/time/clock";
import { readCookie } from "~/platform/http/header-text";
import { Refusal } from "~/platform/refusals/refusal";
import type { Log } from "~/platform/log/log.server";
import { isSameSecret } from "~/platform/text/same-secret.server";
import type { Actor } from "./audit.store.server";
import type { SessionStore } from "./sessions.store.server";

/**
 * A session ends after so long without a page, and after so long in any case. The first is more than twice the grain in
 * which its last use is written down.
 */
export const sessionLife = { idleSeconds: 1_800, maxSeconds: 43_200 };

export type SessionDependencies = {
  secret: string;
  idleSeconds: number;
  maxSeconds: number;
  sessions: SessionStore;
  clock: Clock;
  log: Log;
};

export type CookieCarrier = { cookie: string | undefined };
export type SignInRequest = { given: string; actor: Actor };
export type SignOutRequest = CookieCarrier & { actor: Actor };

/** The value for the cookie, and how long it is valid. */
export type StartedSession = { value: string; maxAgeSeconds: number };

/** A wrong secret leaves a trace that outlives a restart; what was typed goes nowhere. */
export async function signIn({ given, actor }: SignInRequest, dependencies: SessionDependencies) {
  const { secret, maxSeconds, sessions, clock, log } = dependencies;
  if (!isSameSecret(given, secret)) {
    await sessions.recordRefusal(actor);
    log.warn(actor, "operator sign-in failed: wrong secret");
    throw new Refusal("operator-secret-wrong", { headers: { "WWW-Authenticate": operatorChallenge } });
  }
  const value = randomBytes(32).toString("base64url");
  await sessions.startSession(digestOf(value, secret), actor, clock() + maxSeconds * 1000);
  log.info(actor, "operator signed in");
  return { value, maxAgeSeconds: maxSeconds } satisfies StartedSession;
}

/** Not a scheme that browsers know: they would ask for the secret in a window of their own. */
const operatorChallenge = 'Cookie realm="latchkey-operator"';

export async function requireSession(
  { cookie }: CookieCarrier,
  { secret, idleSeconds, sessions }: SessionDependencies,
): Promise<void> {
  const value = readCookie(cookie, operatorCookieName);
  if (value && (await sessions.useSession(digestOf(value, secret), idleSeconds * 1000))) return;
  throw new Refusal("operator-sign-in-needed", { headers: { "WWW-Authenticate": operatorChallenge } });
}

export async function signOut(
  { cookie, actor }: SignOutRequest,
  { secret, sessions }: SessionDependencies,
): Promise<void> {
  const value = readCookie(cookie, operatorCookieName);
  if (value) await sessions.endSession(digestOf(value, secret), actor);
}

/** A reader of the table cannot sign in with a digest, and under another secret the cookie is invalid. */
function digestOf(value: string, secret: string): string {
  return createHmac("sha256", secret).update(value).digest("hex");
}

/** For the operator's view alone: browsers send it only to addresses below it. */
export const operatorCookieName = "latchkey_operator";

/** No script can read it, and no other site's request or link brings it along. */
export function writeOperatorCookie({ value, maxAgeSeconds }: StartedSession, origin: string): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${operatorCookieName}=${value}; Path=/operator; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
