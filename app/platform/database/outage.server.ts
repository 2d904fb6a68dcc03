/** Prisma's driver adapters use these kinds if the database is unreachable or can't reply now. */
const outageKinds = new Set([
  "AuthenticationFailed",
  "ConnectionClosed",
  "DatabaseAccessDenied",
  "DatabaseDoesNotExist",
  "DatabaseNotReachable",
  "SocketTimeout",
  "TlsConnectionError",
  "TooManyConnections",
  "TransactionWriteConflict",
]);

/** No connection from the pool in time, no transaction in time. */
const outagePrismaCodes = new Set(["P2024", "P2028"]);

/** SQLite's primary result codes: busy, locked, read-only, I/O error, corrupt, full, cannot open, not a database. */
const outageSqliteCodes = new Set([5, 6, 8, 10, 11, 13, 14, 26]);
const primaryCodeMask = 0xff;

/**
 * PostgreSQL: connection lost (08), read-only (25006), resources exhausted (53), shutdown or statement timeout (57),
 * system failure (58), lock timeout (55P03), idle transaction undone (25P03).
 */
const outageSqlStates = /^(08...|25006|25P03|53...|55P03|57...|58...)$/;

/** The pg driver has no code for these. The first one is ours. */
const outagePgMessages =
  /^The database in DATABASE_URL is unreachable|timeout exceeded when trying to connect|^Connection terminated|^Query read timeout|^timeout expired|is not queryable$/;

/**
 * Whether the database is unavailable, so that the outcome is unknown and the caller may retry. A refused statement is
 * a defect of ours instead.
 */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outagePrismaCodes.has(String(readMember(error, "code")))) return true;
  if (outagePgMessages.test(error.message)) return true;
  if (isRawSqliteOutage(error)) return true;
  return listDriverCauses(error).some(isDriverOutage);
}

export function hasDriverKind(error: unknown, kind: string): boolean {
  return listDriverCauses(error).some((cause) => readMember(cause, "kind") === kind);
}

/** Prisma passes errors of BEGIN and COMMIT on as the driver's adapter threw them. */
function listDriverCauses(error: unknown): unknown[] {
  const driverError = readMember(readMember(error, "meta"), "driverAdapterError");
  return [driverError, error].map((thrown) => readMember(thrown, "cause"));
}

/** Whether a transaction that failed at its COMMIT may have been carried out. SQLite itself is never in doubt. */
export function leavesCommitInDoubt(error: unknown): boolean {
  return isDatabaseOutage(error) && !isRawSqliteOutage(error as Error);
}

/** SQLite's adapter throws the driver's error of a COMMIT unchanged. A full disk first shows at the commit. */
function isRawSqliteOutage(error: Error): boolean {
  return error.name === "SqliteError" && isSqliteOutageCode(readMember(error, "rawCode"));
}

function isSqliteOutageCode(extendedCode: unknown): boolean {
  return outageSqliteCodes.has(Number(extendedCode) & primaryCodeMask);
}

/** PostgreSQL's code; null if Prisma mapped the error to one of its own. */
export function readSqlState(error: unknown): string | null {
  const cause = listDriverCauses(error).find((mapped) => readMember(mapped, "kind") === "postgres");
  return cause === undefined ? null : String(readMember(cause, "code"));
}

function isDriverOutage(mapped: unknown): boolean {
  const kind = readMember(mapped, "kind");
  if (kind === "sqlite") return isSqliteOutageCode(readMember(mapped, "extendedCode"));
  if (kind === "postgres") return outageSqlStates.test(String(readMember(mapped, "code")));
  return outageKinds.has(String(kind));
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
