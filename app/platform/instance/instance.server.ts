import { randomUUID } from "node:crypto";
import os from "node:os";

/**
 * Identifies this process in leases, claims, quotas, records and traces. Only the last part is unique: containers may
 * share host and process id.
 */
export function createInstanceId(): string {
  return `${os.hostname()}/${process.pid}/${randomUUID()}`;
}
