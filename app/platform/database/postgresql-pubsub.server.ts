import type { EventLog } from "~/platform/log.server";
import { createPubSub } from "~/platform/pubsub/pubsub.server";
import type { PubSub } from "~/platform/pubsub/pubsub.server";
import type { ConnectPubSub } from "~/platform/pubsub/pubsub-connection.server";
import { connectPostgresql } from "./postgresql-connection.server";

const channel = "latchkey_pubsub";

/** By LISTEN and NOTIFY, on a connection beside the pool's. */
export function createPostgresqlPubSub({ url, log }: { url: string; log: EventLog }): PubSub {
  const connect: ConnectPubSub = async ({ onMessage, onLost }) => {
    const client = await connectPostgresql(url);
    client.on("notification", ({ payload = "" }) => onMessage(payload));
    client.on("end", onLost);
    const close = () => void client.end().catch(() => undefined);
    try {
      // A message that a power cut takes away was promised to nobody.
      await client.query(`SET synchronous_commit TO off; LISTEN ${channel}`);
    } catch (error) {
      close();
      throw error;
    }
    return { send: (message) => client.query("SELECT pg_notify($1, $2)", [channel, message]), close };
  };
  return createPubSub({ connect, log });
}
