import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "~/platform/time/clock";
import { readCookie } from "~/platform/http/header-text";
import { Refusal } from "~/platform/refusals/refusal";
import type { Log } from "~/platform/log/log.server";
import { isSameSecret } from "~/platform/text/same-secret.server";
import type { Actor, SessionStore } from "./sessions.store.server";

/**
 * A session ends after so long without a page, and after so long in any case. The first is more than twice the grain in
 * which its last use is written down.
 */
export const sessionLife = { idleSeconds: 1_800, maxSeconds: 43_200 };

type Dependencies = {
  secret: string;
  idleSeconds: number;
  maxSeconds: number;
  sessions: SessionStore;
  clock: Clock;
  log: Log;
};

type CookieCarrier = { cookie: string | undefined };
type StartedSession = { value: string; maxAgeSeconds: number };

/** Not a scheme that browsers know: they would show their own prompt. */
const operatorChallenge = 'Cookie realm="latchkey-operator"';

export function createSessionAccess(dependencies: Dependencies) {
  const { secret, idleSeconds, maxSeconds, sessions, clock, log } = dependencies;
  return {
    /** A wrong secret leaves an audit entry. The input itself is stored nowhere. */
    async signIn({ given, actor }: { given: string; actor: Actor }): Promise<StartedSession> {
      if (!isSameSecret(given, secret)) {
        await sessions.recordRefusal(actor);
        log.warn(actor, "operator sign-in failed: wrong secret");
        throw new Refusal("operator-secret-wrong", { headers: { "WWW-Authenticate": operatorChallenge } });
      }
      const value = randomBytes(32).toString("base64url");
      await sessions.startSession(digestOf(value, secret), actor, clock() + maxSeconds * 1000);
      log.info(actor, "operator signed in");
      return { value, maxAgeSeconds: maxSeconds };
    },

    /** Throws the refusal `operator-sign-in-needed`. */
    async requireSession({ cookie }: CookieCarrier): Promise<void> {
      const value = readCookie(cookie, operatorCookieName);
      if (value && (await sessions.useSession(digestOf(value, secret), idleSeconds * 1000))) return;
      throw new Refusal("operator-sign-in-needed", { headers: { "WWW-Authenticate": operatorChallenge } });
    },

    async signOut({ cookie, actor }: CookieCarrier & { actor: Actor }): Promise<void> {
      const value = readCookie(cookie, operatorCookieName);
      if (value) await sessions.endSession(digestOf(value, secret), actor);
    },
  };
}

/** A reader of the table can't sign in with a digest, and another secret makes the cookie invalid. */
function digestOf(value: string, secret: string): string {
  return createHmac("sha256", secret).update(value).digest("hex");
}

/** Browsers send it only to addresses below the operator's view. */
const operatorCookieName = "latchkey_operator";

/** No script can read it, and no other site's request or link sends it. */
export function writeOperatorCookie({ value, maxAgeSeconds }: StartedSession, origin: string): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${operatorCookieName}=${value}; Path=/operator; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
