import { Refusal } from "~/platform/refusals/refusal";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

function refuse(): never {
  const { openApiEnabled } = getServices().config.serving;
  const remedy = openApiEnabled
    ? "The list of addresses is at /api/openapi."
    : "Check it for typing mistakes.";
  throw new Refusal("not-found", { detail: `There is no such API address. ${remedy}` });
}

/** Unknown API addresses get the API's own error shape. */
export const { loader, action } = defineRoute({ GET: { handle: refuse }, POST: { handle: refuse } });
