import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "~/platform/http/refusal";
import type { Log } from "~/platform/log.server";
import { isSameSecret } from "~/platform/same-secret.server";
import type { QuotaResetAnswer, QuotaResetOrder } from "./quota.schema";
import type { QuotaWindowStore, WindowTarget } from "./quota-windows.store.server";
import { ownerOfAddress, ownerOfKey } from "./quota-subject";
import type { QuotaOwner } from "./quota-subject";
import { findSecretInHeaders, findSecretInRequest } from "./reset-secret";

/** Who resets, for the audit trail. */
export type ResetActor = { clientId: string; requestId: string };

export type ResetDependencies = {
  windows: Pick<QuotaWindowStore, "deleteWindows">;
  place: { chainId: number; contractAddress: string };
  log: Log;
};

export type ResetRequest = ResetActor & {
  headers: IncomingHttpHeaders;
  searchParams: URLSearchParams;
  /** As parsed: it may hold the secret. Undefined where there is none, or none that can be read. */
  body: unknown;
};

/** `secret` null: nobody may. */
export type ResetSettings = { secret: string | null; isQuotaEnabled: boolean; isStateActive: boolean };

/**
 * Whoever sends the secret, while quotas can be reset. Whoever lacks it learns nothing else: not whether the quota is on,
 * nor whether the body would have done.
 */
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
    throw new Refusal("quota-reset-unauthorized", {
      headers: { "WWW-Authenticate": 'Bearer realm="latchkey-quota-reset"' },
    });
  }
  if (!isQuotaEnabled) throw new Refusal("quota-reset-disabled");
  if (!isStateActive) throw new Refusal("state-service-inactive");
  return actor;
}

/** Clears the windows that are named, and leaves an audit entry and a log line. */
export async function resetQuotas({
  order,
  actor,
  dependencies: { windows, place, log },
}: {
  order: QuotaResetOrder;
  actor: ResetActor;
  dependencies: ResetDependencies;
}): Promise<QuotaResetAnswer> {
  const deleted = await windows.deleteWindows({
    targets: findTargets(order, place),
    record: { ...actor, detail: order },
  });
  const { scope, mode } = order;
  log.info(
    { ...actor, scope, mode, tokenWindows: deleted.token ?? 0, cryptoWindows: deleted.crypto ?? 0 },
    "quotas were reset",
  );
  return {
    ok: true,
    scope,
    mode,
    ...(deleted.token === undefined ? {} : { token: { deleted: deleted.token } }),
    ...(deleted.crypto === undefined ? {} : { crypto: { deleted: deleted.crypto } }),
  };
}

/** Clears one window of whatever kind; 0 when it is not there any more. */
export async function resetWindow({
  owner: { kind, subject },
  actor,
  dependencies: { windows, log },
}: {
  owner: QuotaOwner;
  actor: ResetActor;
  dependencies: Pick<ResetDependencies, "windows" | "log">;
}): Promise<number> {
  const deleted = await windows.deleteWindows({
    targets: [{ kind, subjects: [subject] }],
    record: { ...actor, detail: { mode: "window", kind, subject } },
  });
  log.info({ ...actor, kind, windows: deleted[kind] ?? 0 }, "quota window reset");
  return deleted[kind] ?? 0;
}

/** A kind that is in scope but not named by this order is still answered for, with nothing deleted. */
function findTargets(order: QuotaResetOrder, place: ResetDependencies["place"]): WindowTarget[] {
  const { scope, mode } = order;
  const tokenSubjects =
    mode === "ids" ? unique(order.tokenIds.map((tokenId) => ownerOfKey({ ...place, tokenId }).subject)) : [];
  const cryptoSubjects =
    mode === "addresses" ? unique(order.addresses.map((address) => ownerOfAddress(address).subject)) : [];
  const targets: WindowTarget[] = [
    { kind: "token", subjects: mode === "all" ? "all" : tokenSubjects },
    { kind: "crypto", subjects: mode === "all" ? "all" : cryptoSubjects },
  ];
  // What a key may have spoken goes with what it may have answered; the answer counts neither apart.
  const speech: WindowTarget = { kind: "speech", subjects: mode === "all" ? "all" : tokenSubjects };
  return [
    ...targets.filter(({ kind }) => scope === "both" || scope === kind),
    ...(scope === "crypto" ? [] : [speech]),
  ];
}

function unique(subjects: readonly string[]): string[] {
  return [...new Set(subjects)];
}
