import pg from "pg";
import { describeTlsError } from "~/platform/config/tls-error";

const connectTimeoutMs = 10_000;
/**
 * By the system's default it takes two hours to notice a dead peer, after a power cut or behind a firewall that dropped
 * the connection.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** One connection without Prisma. Its errors are for the operator. */
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
 * Prisma's adapter returns a connection to its pool without an error even if its COMMIT or ROLLBACK failed, timed out
 * or was never sent. The next caller would then work inside that transaction. The pool drops a closed connection. The
 * status is PostgreSQL's own, so a connection that still awaits a reply isn't idle either.
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

/** The driver's message contains no password. */
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

/** The driver reads `sslrootcert`, `sslcert` and `sslkey` when it connects. */
function describeFileFault(error: unknown): string | null {
  const { syscall, code, message } = error as NodeJS.ErrnoException;
  return syscall === "open" || code === "EISDIR"
    ? `A file that DATABASE_URL names as sslrootcert, sslcert or sslkey cannot be read: ${message}.`
    : null;
}

/**
 * Whether the driver reads an address as it is meant. It may take a plain `/`, `?` or `#` in a password for the end of
 * the host, and connect to another machine.
 */
export function canReadPostgresqlAddress(address: string): boolean {
  return !isSplitTooEarly(address) && isTakenByDriver(address);
}

/** User and password precede an `@`. If it comes only after the host, a password was cut. */
function isSplitTooEarly(address: string): boolean {
  const [, host = "", rest = ""] = /^\w+:\/\/([^/?#]*)(.*)$/s.exec(address) ?? [];
  // Parameters after a path may contain a user's name.
  const untilParameters = rest.startsWith("/") ? rest.replace(/\?\w+=.*$/s, "") : rest;
  return !host.includes("@") && untilParameters.includes("@");
}

function isTakenByDriver(address: string): boolean {
  try {
    new pg.Client({ connectionString: address });
    return true;
  } catch (error) {
    // A missing certificate is reported when it is used.
    return !(error instanceof URIError || (error as NodeJS.ErrnoException).code === "ERR_INVALID_URL");
  }
}
