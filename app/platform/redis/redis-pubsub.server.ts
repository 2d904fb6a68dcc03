import { Redis as Client } from "ioredis";
import type { EventLog } from "~/platform/log.server";
import { createPubSub } from "~/platform/pubsub/pubsub.server";
import type { PubSub } from "~/platform/pubsub/pubsub.server";
import type { ConnectPubSub } from "~/platform/pubsub/pubsub-connection.server";
import { defineScript } from "./redis-script.server";
import { connectTimeoutMs, forgetDetails } from "./redis.server";
import type { Redis } from "./redis.server";

const channel = "pubsub";

const publishScript = defineScript({
  name: "publish",
  lua: `return redis.call('PUBLISH', KEYS[1], ARGV[1])`,
});

type Options = { url: string; password: string | null; redis: Redis; log: EventLog };

/** Redis hears nothing else on a connection that has subscribed, so messages are sent on the one for scripts. */
export function createRedisPubSub({ url, password, redis, log }: Options): PubSub {
  const connect: ConnectPubSub = async ({ onMessage, onLost }) => {
    const client = new Client(url, {
      ...(password === null ? {} : { password }),
      connectTimeout: connectTimeoutMs,
      commandTimeout: connectTimeoutMs,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
      // Whoever made this connection makes the next one.
      retryStrategy: () => null,
    });
    let fault: unknown;
    client.on("error", (error: unknown) => (fault = error));
    client.on("end", onLost);
    client.on("message", (_channel, message) => onMessage(message));
    try {
      await client.connect();
      await client.subscribe(redis.prefix + channel);
    } catch (error) {
      client.disconnect();
      throw forgetDetails(fault ?? error);
    }
    return {
      send: (message) => redis.run({ script: publishScript, keys: [channel], parameters: [message] }),
      close: () => client.disconnect(),
    };
  };
  return createPubSub({ connect, log });
}
