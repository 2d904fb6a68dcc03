import { createHmac, randomBytes } from "node:crypto";
import { readCookie } from "~/gate/tokens/token-locations";
import type { Clock } from "~/platform/clock";
import { Refusal } from "~/platform/http/refusal";
import type { Log } from "~/platform/log.server";
import { isSameSecret } from "~/platform/same-secret.server";
import type { Actor } from "./audit.store.server";
import { operatorCookieName } from "./session-cookie";
import type { OperatorSession, SessionStore } from "./sessions.store.server";

export type SessionDependencies = {
  secret: string;
  idleSeconds: number;
  maxSeconds: number;
  sessions: SessionStore;
  clock: Clock;
  log: Log;
};

/** The value for the cookie, and how long it is good for. */
export type StartedSession = { value: string; maxAgeSeconds: number };

/** A wrong secret leaves a trace that outlives a restart; what was typed goes nowhere. */
export async function signIn({
  given,
  actor,
  dependencies,
}: {
  given: string;
  actor: Actor;
  dependencies: SessionDependencies;
}): Promise<StartedSession> {
  const { secret, maxSeconds, sessions, clock, log } = dependencies;
  if (!isSameSecret(given, secret)) {
    await sessions.recordAudit({ ...actor, kind: "operator-sign-in-refused", detail: {} });
    log.warn(actor, "operator sign-in failed: wrong secret");
    throw new Refusal("operator-secret-wrong", { headers: { "WWW-Authenticate": operatorChallenge } });
  }
  const value = randomBytes(32).toString("base64url");
  const endsAtMs = clock() + maxSeconds * 1000;
  await sessions.startSession({ digest: digestOf(value, secret), actor, endsAtMs });
  log.info(actor, "operator signed in");
  return { value, maxAgeSeconds: maxSeconds };
}

/** No scheme of browsers' own: they would ask for the secret in a window of theirs. */
const operatorChallenge = 'Cookie realm="latchkey-operator"';

export async function requireSession({
  cookie,
  dependencies: { secret, idleSeconds, sessions },
}: {
  cookie: string | undefined;
  dependencies: Pick<SessionDependencies, "secret" | "idleSeconds" | "sessions">;
}): Promise<OperatorSession> {
  const value = readCookie(cookie, operatorCookieName);
  const session = value
    ? await sessions.useSession({ digest: digestOf(value, secret), idleMs: idleSeconds * 1000 })
    : null;
  if (session !== null) return session;
  throw new Refusal("operator-sign-in-needed", { headers: { "WWW-Authenticate": operatorChallenge } });
}

export async function signOut({
  cookie,
  actor,
  dependencies: { secret, sessions },
}: {
  cookie: string | undefined;
  actor: Actor;
  dependencies: Pick<SessionDependencies, "secret" | "sessions">;
}): Promise<void> {
  const value = readCookie(cookie, operatorCookieName);
  if (value) await sessions.endSession({ digest: digestOf(value, secret), actor });
}

/** Whoever reads the table cannot sign in with it, and under another secret the same cookie is nobody's. */
function digestOf(value: string, secret: string): string {
  return createHmac("sha256", secret).update(value).digest("hex");
}
