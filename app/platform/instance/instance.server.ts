import { randomUUID } from "node:crypto";
import os from "node:os";

/**
 * The id of this process, made once at its start: for leases, claims, quotas, records and traces. The last part is what
 * makes it unique; host and process id, which containers may share, are for people.
 */
export function createInstanceId(): string {
  return `${os.hostname()}/${process.pid}/${randomUUID()}`;
}
