import { isRouteErrorResponse, useRouteError } from "@remix-run/react";

const faults = {
  own: {
    heading: "This page could not be made",
    text: "The fault is ours, or the database cannot be asked at the moment. The log says more; trying again often helps.",
  },
  off: {
    heading: "The operator's view is switched off",
    text: "Whoever runs this server can switch it on: set OPERATOR_SECRET to what openssl rand -hex 32 prints, and start the server again.",
  },
  missing: {
    heading: "There is nothing here",
    text: "The operator's view has no such page. It may have been mistyped, or what it showed is gone.",
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
