import { isDatabaseOutage } from "~/platform/database/outage.server";
import { RedisOutage } from "~/platform/redis/redis-outage";
import { Refusal, nothingDone, stateUnavailable } from "~/platform/refusals/refusal";
import type { RequestContext } from "./request-context.server";

/** An outage of the database or Redis is a 503. Anything else is a defect, and reveals nothing. */
export function toRefusal(error: unknown, { onlyReads = false }: { onlyReads?: boolean } = {}): Refusal {
  if (error instanceof Refusal) return error;
  const isOutage = isDatabaseOutage(error) || error instanceof RedisOutage;
  if (!isOutage) return new Refusal("internal-error", { cause: error });
  return onlyReads ? stateUnavailable(error, nothingDone) : stateUnavailable(error);
}

/** A defect is an error, an outage (it has a cause) a warning, anything else is expected. */
export function noteRefusal(refusal: Refusal, { service, log, requestId }: RequestContext): void {
  service.countRefusal(refusal);
  const { slug, cause, refusalName } = refusal;
  const fields = { slug, requestId };
  if (refusal.status < 500) return;
  if (refusalName === "internal-error") log.error({ ...fields, err: cause ?? refusal }, "request failed");
  else if (cause !== undefined) log.warn({ ...fields, err: cause }, "request failed");
  else log.info(fields, "request refused");
}
