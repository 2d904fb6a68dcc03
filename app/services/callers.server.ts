import type { Caller, CallerRule } from "~/gate/caller.server";
import type { CallerStep } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

/** The step of a route by which a key's holder calls, who is known by an access token. */
export function keyHolder(rule: CallerRule & { isRequired: true }): CallerStep<Caller>;
/** Null for a stranger, where the operator serves any. */
export function keyHolder(rule: CallerRule): CallerStep<Caller | null>;
export function keyHolder(rule: CallerRule): CallerStep<Caller | null> {
  return {
    identify: async ({ context, body }) => {
      const { headers, searchParams } = context;
      const caller = await getServices().gate.identifyCaller(rule, { headers, searchParams, body });
      if (caller) {
        const { sub: address, tokenId } = caller.claims;
        context.accessClaim = { proof: "bearer", address, tokenId };
      }
      return caller;
    },
  };
}
