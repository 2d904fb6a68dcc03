import { redirect } from "@remix-run/node";
import { firstPath, noStore, switchedOff } from "~/operator/page-guard.server";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const headers = () => noStore;

/** The pages lie below this address, as does the path of the session's cookie. */
export function loader() {
  if (getServices().operator === null) throw switchedOff();
  throw redirect(firstPath, { headers: noStore });
}

export default function OperatorRoute() {
  return null;
}
