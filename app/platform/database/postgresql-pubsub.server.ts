import type { EventLog } from "~/platform/log.server";
import { createPubSub } from "~/platform/pubsub/pubsub.server";
import type { PubSub } from "~/platform/pubsub/pubsub.server";
import type { ConnectPubSub } from "~/platform/pubsub/pubsub-connection.server";
import { connectPostgresql } from "./postgresql-connection.server";

const channel = "latchkey_pubsub";

// A message that a power cut takes away was promised to nobody. For this statement alone: behind a pooler the session
// is others' too.
const notify = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";

/** By LISTEN and NOTIFY, on a connection beside the pool's. */
export function createPostgresqlPubSub({ url, log }: { url: string; log: EventLog }): PubSub {
  const connect: ConnectPubSub = async ({ onMessage, onLost }) => {
    const client = await connectPostgresql(url);
    client.on("notification", ({ payload = "" }) => onMessage(payload));
    client.on("end", onLost);
    const close = () => void client.end().catch(() => undefined);
    try {
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      close();
      throw error;
    }
    return { send: (message) => client.query(notify, [channel, message]), close };
  };
  return createPubSub({ connect, log });
}
