import pg from "pg";

/**
 * Whether the driver understands an address as it is meant. Of one that it does not, it says no more than that; and a
 * password with a plain `/`, `?` or `#` it may take for the end of the host, so that it would ask another machine.
 */
export function canReadPostgresqlAddress(address: string): boolean {
  return !isSplitTooEarly(address) && isTakenByDriver(address);
}

/** User and password stand before an `@`, so that one which comes only after the host has ended was meant to be theirs. */
function isSplitTooEarly(address: string): boolean {
  const [, host = "", rest = ""] = /^\w+:\/\/([^/?#]*)(.*)$/s.exec(address) ?? [];
  // Behind a path there may be parameters, and a user's name among them.
  const untilParameters = rest.startsWith("/") ? rest.replace(/\?\w+=.*$/s, "") : rest;
  return !host.includes("@") && untilParameters.includes("@");
}

function isTakenByDriver(address: string): boolean {
  try {
    new pg.Client({ connectionString: address });
    return true;
  } catch (error) {
    // A certificate that it names and that is not there is told when it is used.
    return !(error instanceof URIError || (error as NodeJS.ErrnoException).code === "ERR_INVALID_URL");
  }
}
