import { isDatabaseOutage } from "~/platform/database/outage.server";
import { RedisOutage } from "~/platform/redis/redis-outage";
import { Refusal, nothingDone, stateUnavailable } from "./refusal";

/** An outage of the database or of Redis is a 503; everything else but a refusal is a defect, and says nothing. */
export function toRefusal(error: unknown, { onlyReads = false }: { onlyReads?: boolean } = {}): Refusal {
  if (error instanceof Refusal) return error;
  const isOutage = isDatabaseOutage(error) || error instanceof RedisOutage;
  if (!isOutage) return new Refusal("internal-error", { cause: error });
  return onlyReads ? stateUnavailable(error, nothingDone) : stateUnavailable(error);
}
