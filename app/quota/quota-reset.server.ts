import type { IncomingHttpHeaders } from "node:http";
import { parseShape } from "~/platform/http/json-body.server";
import { Refusal } from "~/platform/http/refusal";
import type { Log } from "~/platform/log.server";
import { isSameSecret } from "~/platform/same-secret.server";
import { quotaResetBodySchema } from "./quota.schema";
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
  /** Throws the refusal of a body that cannot be read. */
  readBody: () => Promise<unknown>;
};

/** `secret` null: nobody may. */
export type ResetSettings = { secret: string | null; isQuotaEnabled: boolean; isStateActive: boolean };

/**
 * Resets by request. Whoever lacks the secret learns nothing else: not whether the quota is on, nor whether the body
 * would have done.
 */
export async function resetByRequest({
  request,
  settings,
  dependencies,
}: {
  request: ResetRequest;
  settings: ResetSettings;
  dependencies: ResetDependencies;
}): Promise<QuotaResetAnswer> {
  if (settings.secret === null) throw new Refusal("quota-reset-disabled");
  const body = await readWithSecret({ request, expected: settings.secret, log: dependencies.log });
  if (!settings.isQuotaEnabled) throw new Refusal("quota-reset-disabled");
  if (!settings.isStateActive) throw new Refusal("state-service-inactive");
  const order = parseShape({ schema: quotaResetBodySchema, value: await body() });
  const { clientId, requestId } = request;
  return await resetQuotas({ order, actor: { clientId, requestId }, dependencies });
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
    targets: findTargets({ order, place }),
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
  log.info({ ...actor, kind, windows: deleted[kind] ?? 0 }, "a quota window was reset");
  return deleted[kind] ?? 0;
}

/** The body, still to be opened, of somebody who knows the secret. It is read here only where it may hold the secret. */
async function readWithSecret({
  request: { headers, searchParams, readBody, clientId, requestId },
  expected,
  log,
}: {
  request: ResetRequest;
  expected: string;
  log: Log;
}): Promise<() => Promise<unknown>> {
  let body = readBody;
  let given: unknown = findSecretInHeaders(headers);
  if (given === null) {
    const read = await settleBody(readBody);
    body = read.open;
    given = findSecretInRequest({ body: read.value, searchParams });
  }
  if (typeof given === "string" && isSameSecret({ given, expected })) return body;
  log.warn({ clientId, requestId, given: given !== null }, "a quota reset was refused: no or a wrong secret");
  throw new Refusal("quota-reset-unauthorized", {
    headers: { "WWW-Authenticate": 'Bearer realm="latchkey-quota-reset"' },
  });
}

/** A body that cannot be read holds no secret; what is wrong with it is told later, to those who may know. */
async function settleBody(
  readBody: () => Promise<unknown>,
): Promise<{ value: unknown; open: () => Promise<unknown> }> {
  try {
    const value = await readBody();
    return { value, open: () => Promise.resolve(value) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { value: undefined, open: () => Promise.reject(error) };
  }
}

/** A kind that is in scope but not named by this order is still answered for, with nothing deleted. */
function findTargets({
  order,
  place,
}: {
  order: QuotaResetOrder;
  place: ResetDependencies["place"];
}): WindowTarget[] {
  const { scope, mode } = order;
  const tokenSubjects =
    mode === "ids" ? order.tokenIds.map((tokenId) => ownerOfKey({ ...place, tokenId }).subject) : [];
  const cryptoSubjects =
    mode === "addresses" ? order.addresses.map((address) => ownerOfAddress(address).subject) : [];
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
