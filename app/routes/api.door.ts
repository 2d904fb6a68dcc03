import { askDoorOperation } from "~/door/door.openapi";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  isForSites: true,
  GET: {
    operation: askDoorOperation,
    handle: ({ context: { headers, searchParams, isFromTrustedProxy } }) =>
      getServices().door.answer({
        headers,
        isFromTrustedProxy,
        wantsStatus: searchParams.get("answer") === "status",
      }),
  },
});
