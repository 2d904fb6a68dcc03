import { isRouteErrorResponse, useRouteError } from "@remix-run/react";

const faults = {
  own: {
    heading: "This page could not be loaded",
    text: "The server failed, or the database is unreachable at the moment. The log says more. Try again in a moment.",
  },
  off: {
    heading: "The operator's view is switched off",
    text: "To switch it on, set OPERATOR_SECRET to the output of openssl rand -hex 32 and restart the server.",
  },
  missing: {
    heading: "There is nothing here",
    text: "The operator's view has no such page. The address may be mistyped, or the entry may be gone.",
  },
};

export function OperatorError() {
  const error = useRouteError();
  const isOff = isRouteErrorResponse(error) && error.data === "operator-off";
  const { heading, text } = isOff ? faults.off : isRouteErrorResponse(error) ? faults.missing : faults.own;
  return (
    <div className="prose">
      <h1>{heading}</h1>
      <p className="lead">{text}</p>
      {isOff ? null : (
        <p>
          <a href="/operator">Back to the operator&rsquo;s view</a>
        </p>
      )}
    </div>
  );
}
