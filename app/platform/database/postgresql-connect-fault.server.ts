import { describeTlsFault } from "~/platform/tls-fault";

/** What the driver says when it asks for encryption and is told no. */
const takesNone = "The server does not support SSL connections";

/** The same failure in the operator's words, where it is about encryption; else as it was. */
export function explainConnectFault(error: unknown): unknown {
  const sentence = describeEncryptionFault(error) ?? describeFileFault(error);
  // Without the failure as its cause: Node hangs the whole certificate on it.
  return sentence === null ? error : new Error(sentence);
}

function describeEncryptionFault(error: unknown): string | null {
  if (error instanceof Error && error.message === takesNone) {
    return "PostgreSQL takes no encrypted connections, and DATABASE_URL asks for one. Set ssl = on there, or sslmode=disable in DATABASE_URL.";
  }
  return describeTlsFault({
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
