import { describeTlsFault } from "~/platform/tls-fault";

/**
 * Why no connection to Redis came to be of use, and what to do, in a sentence that strangers may read. null where the
 * operator's settings are not the reason.
 */
export function describeConnectFault(error: Error): string | null {
  if (error.message.includes("WRONGPASS")) {
    return "Redis refuses the password in STATE_WORKER_API_KEY (or in STATE_WORKER_URL, where it stands there). Write the one that Redis has, and start again.";
  }
  if (error.message.includes("NOAUTH")) {
    return "Redis asks for a password, and none is set. Write it in STATE_WORKER_API_KEY, and start again.";
  }
  return describeTlsFault({ error, server: "Redis", setting: "STATE_WORKER_URL" });
}
