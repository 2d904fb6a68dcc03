import { defineRoute } from "~/platform/http/route.server";

export const { loader, action } = defineRoute({ GET: { handle: () => ({ status: "alive" }) } });
