import type { IncomingHttpHeaders } from "node:http";
import type { KeyKinds } from "~/gate/kinds/kind";
import { keyRefOf, requireKind } from "~/gate/kinds/kind";
import { Refusal } from "~/platform/refusals/refusal";
import type { Log } from "~/platform/log/log.server";
import { isSameSecret } from "~/platform/text/same-secret.server";
import type { QuotaResetAnswer, QuotaResetOrder } from "./quota.schema";
import type { QuotaWindowStore, WindowTarget } from "./quota-windows.store.server";
import { ownerOfAddress, ownerOfKey } from "./quota-subject";
import type { QuotaOwner } from "./quota-subject";

/** For the audit trail. */
export type ResetActor = { clientId: string; requestId: string };

export type ResetDependencies = {
  windows: Pick<QuotaWindowStore, "deleteWindows">;
  kinds: KeyKinds;
  log: Log;
};

export type ResetRequest = ResetActor & {
  headers: IncomingHttpHeaders;
  searchParams: URLSearchParams;
  /** As parsed: it may contain the secret. Undefined if absent or unreadable. */
  body: unknown;
};

const resetChallenge = 'Bearer realm="latchkey-quota-reset"';

/** `secret` null: nobody may. */
type ResetSettings = { secret: string | null; isQuotaEnabled: boolean; isStateActive: boolean };

/** Checks the secret first, so that a client without it learns nothing about the quota or its body. */
export function requireResetSecret(
  { headers, searchParams, body, clientId, requestId }: ResetRequest,
  { secret, isQuotaEnabled, isStateActive }: ResetSettings,
  log: Log,
): ResetActor {
  if (secret === null) throw new Refusal("quota-reset-disabled");
  const given = findSecretInHeaders(headers) ?? findSecretInRequest(body, searchParams);
  const actor = { clientId, requestId };
  if (typeof given !== "string" || !isSameSecret(given, secret)) {
    log.warn({ ...actor, given: given !== null }, "quota reset refused: missing or wrong secret");
    throw new Refusal("quota-reset-unauthorized", { headers: { "WWW-Authenticate": resetChallenge } });
  }
  if (!isQuotaEnabled) throw new Refusal("quota-reset-disabled");
  if (!isStateActive) throw new Refusal("state-service-inactive");
  return actor;
}

/** Clears the named windows, with an audit entry and a log line. */
export async function resetQuotas(
  order: QuotaResetOrder,
  actor: ResetActor,
  { windows, kinds, log }: ResetDependencies,
): Promise<QuotaResetAnswer> {
  const deleted = await windows.deleteWindows({
    targets: findTargets(order, kinds),
    record: { ...actor, detail: order },
  });
  const { scope, mode } = order;
  log.info(
    { ...actor, scope, mode, tokenWindows: deleted.token ?? 0, cryptoWindows: deleted.crypto ?? 0 },
    "quotas reset",
  );
  return {
    ok: true,
    scope,
    mode,
    ...(deleted.token === undefined ? {} : { token: { deleted: deleted.token } }),
    ...(deleted.crypto === undefined ? {} : { crypto: { deleted: deleted.crypto } }),
  };
}

/** Clears one window; 0 if there is none any more. */
export async function resetWindow(
  { kind, subject }: QuotaOwner,
  actor: ResetActor,
  { windows, log }: Pick<ResetDependencies, "windows" | "log">,
): Promise<number> {
  const deleted = await windows.deleteWindows({
    targets: [{ kind, subjects: [subject] }],
    record: { ...actor, detail: { mode: "window", kind, subject } },
  });
  log.info({ ...actor, kind, windows: deleted[kind] ?? 0 }, "quota window reset");
  return deleted[kind] ?? 0;
}

/** A kind that is in scope but not named is reported as 0. */
function findTargets(order: QuotaResetOrder, kinds: KeyKinds): WindowTarget[] {
  const { scope, mode } = order;
  const tokenSubjects = mode === "ids" ? findSubjects(order, kinds) : [];
  const cryptoSubjects =
    mode === "addresses" ? order.addresses.map((address) => ownerOfAddress(address).subject) : [];
  const choose = (named: readonly string[]) => (mode === "all" ? "all" : [...new Set(named)]);
  const targets: WindowTarget[] = [];
  if (scope !== "crypto") targets.push({ kind: "token", subjects: choose(tokenSubjects) });
  if (scope !== "token") targets.push({ kind: "crypto", subjects: choose(cryptoSubjects) });
  // A key's speech quota is reset with its chat quota; the response does not list it separately.
  if (scope !== "crypto") targets.push({ kind: "speech", subjects: choose(tokenSubjects) });
  return targets;
}

function findSubjects({ tokenIds, key }: { tokenIds: string[]; key?: string }, kinds: KeyKinds): string[] {
  const kind = requireKind(kinds, key);
  return tokenIds.map((tokenId) => ownerOfKey(keyRefOf(kind, tokenId)).subject);
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const secretHeaders = ["x-quota-reset-secret", "x-ai-quota-reset-secret"] as const;

/** The first non-empty header decides. Ignores an Authorization header of another scheme. */
export function findSecretInHeaders(headers: Headers): string | null {
  for (const name of secretHeaders) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value;
  }
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization?.toString() ?? "");
  return bearer?.[1] ?? null;
}

/** After the headers: the body, then the query. The first that is present decides, whatever its type. */
export function findSecretInRequest(body: unknown, searchParams: URLSearchParams): unknown {
  if (typeof body === "object" && body !== null && Object.hasOwn(body, "secret")) {
    const { secret } = body as { secret: unknown };
    if (secret !== null && secret !== "") return secret;
  }
  return searchParams.get("secret") || null;
}
