import pg from "pg";
import { describeTlsError } from "~/platform/config/tls-error";

const connectTimeoutMs = 10_000;
/**
 * TCP keep-alive after so much silence. By the system's default it would take two hours to notice that the other side is
 * gone without closing: after a power cut, or behind a firewall that dropped the connection.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** One connection without Prisma. Its errors are rephrased for the operator. */
export async function connectPostgresql(url: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      ...keepAlive,
    });
    // Without a listener a connection that breaks between two statements would end the process.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  } catch (error) {
    throw explainConnectFault(error);
  }
}

/**
 * For each connection that returns to its pool, which drops a closed one. Prisma's adapter returns a connection without an
 * error even if its COMMIT or ROLLBACK failed, timed out or was never sent. The next caller would then work inside that
 * transaction. The status is PostgreSQL's own, from its last complete response, so an unanswered end isn't idle either.
 */
export function closeUnlessIdle(connection: pg.PoolClient & Partial<pg.Client>): void {
  // The pool makes whole clients; its type omits `end`.
  if (connection.getTransactionStatus() !== "I") void connection.end?.();
}

function explainConnectFault(error: unknown): Error {
  const sentence = describeEncryptionFault(error) ?? describeFileFault(error);
  // Without a cause: Node attaches the whole certificate to the original error.
  return sentence === null ? nameDatabase(error) : new Error(sentence);
}

/** The driver's own words hold no password. */
export function nameDatabase(error: unknown): Error {
  const { message, errors = [] } = error as Partial<AggregateError>;
  // If a host has several addresses, Node's message may be empty.
  const reason = message || errors.map((each) => (each as Error).message).join(", ");
  return new Error(`The database in DATABASE_URL is unreachable: ${reason}.`, { cause: error });
}

function describeEncryptionFault(error: unknown): string | null {
  if (error instanceof Error && error.message === "The server does not support SSL connections") {
    return "PostgreSQL takes no encrypted connections, and DATABASE_URL asks for one. Set ssl = on there, or sslmode=disable in DATABASE_URL.";
  }
  return describeTlsError({
    error,
    server: "PostgreSQL",
    setting: "DATABASE_URL",
    remedy: ", or as sslrootcert in DATABASE_URL, which then counts alone",
  });
}

/** `sslrootcert`, `sslcert` and `sslkey` are read when the connection is made. */
function describeFileFault(error: unknown): string | null {
  const { syscall, code, message } = error as NodeJS.ErrnoException;
  return syscall === "open" || code === "EISDIR"
    ? `A file that DATABASE_URL names as sslrootcert, sslcert or sslkey cannot be read: ${message}.`
    : null;
}

/**
 * Whether the driver reads an address as it is meant. It does not say what is wrong with one, and may take a plain `/`,
 * `?` or `#` in a password for the end of the host and connect to another machine.
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
