import { isDatabaseOutage } from "~/platform/database/outage.server";
import { Refusal, stateUnavailable } from "./refusal";

/** Refusals pass; a database that cannot be asked is 503; everything else is a defect of ours and says nothing. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return isDatabaseOutage(error) ? stateUnavailable(error) : new Refusal("internal-error", { cause: error });
}
