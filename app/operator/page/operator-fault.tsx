import { isRouteErrorResponse, useRouteError } from "@remix-run/react";

/** What these pages show instead of themselves. */
export function OperatorFault() {
  const { heading, text, isOn } = describeFault(useRouteError());
  return (
    <div className="prose">
      <h1>{heading}</h1>
      <p className="lead">{text}</p>
      {isOn ? (
        <p>
          <a href="/operator">Back to the operator&rsquo;s view</a>
        </p>
      ) : null}
    </div>
  );
}

function describeFault(error: unknown): { heading: string; text: string; isOn: boolean } {
  if (!isRouteErrorResponse(error)) {
    return {
      isOn: true,
      heading: "This page could not be made",
      text: "The fault is ours, or the database cannot be asked at the moment. The log says more; trying again often helps.",
    };
  }
  if (error.data === "operator-off") {
    return {
      isOn: false,
      heading: "The operator's view is switched off",
      text: "Whoever runs this server can switch it on: set OPERATOR_SECRET to what openssl rand -hex 32 prints, and start the server again.",
    };
  }
  return {
    isOn: true,
    heading: "There is nothing here",
    text: "The operator's view has no such page. It may have been mistyped, or what it showed is gone.",
  };
}
