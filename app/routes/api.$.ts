import { Refusal } from "~/platform/http/refusal";
import { defineRoute } from "~/platform/http/route.server";

function refuse(): never {
  throw new Refusal("not-found", {
    detail: "There is no such API address. The list of addresses is at /api/openapi.",
  });
}

/** Unknown API addresses answer in the API's own shape, not with a page. */
export const { loader, action } = defineRoute({ GET: { handle: refuse }, POST: { handle: refuse } });
