import { redirect } from "@remix-run/node";
import { firstPath, noStore, requireSwitchedOn } from "~/operator/page-guard.server";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const headers = () => noStore;

/** The session cookie's path. */
export function loader() {
  requireSwitchedOn(getServices().operator);
  throw redirect(firstPath, { headers: noStore });
}

export default function OperatorRoute() {
  return null;
}
