import { expect, onTestFinished, test, vi } from "vitest";
import { createPostgresqlPubSub } from "~/platform/database/postgresql-pubsub.server";
import { createRedisPubSub } from "~/platform/redis/redis-pubsub.server";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { connectRedis } from "~e2e/support/databases/state";
import { createPostgresqlTestDatabase } from "~e2e/support/databases/database";
import { createLogLines } from "~e2e/support/log-lines";
import { waitUntil } from "~e2e/support/processes";
import { startTcpGate } from "~e2e/support/providers/proxies";
import type { PubSub } from "./pubsub.server";

/** A subscriber whose way can be cut, and somebody who publishes. */
type Pair = { subscriber: PubSub; publisher: PubSub; cut: () => void; mend: () => void };

async function openPostgresqlPair(): Promise<Pair> {
  const { url } = await createPostgresqlTestDatabase();
  const { hostname, port } = new URL(url);
  const way = await startTcpGate({ host: hostname, port: Number(port) });
  onTestFinished(way.stop);
  const through = new URL(url);
  through.port = String(way.port);
  const { log } = createLogLines();
  const subscriber = createPostgresqlPubSub({ url: through.href, log });
  return { subscriber, publisher: createPostgresqlPubSub({ url, log }), ...way };
}

async function openRedisPair(): Promise<Pair> {
  const server = await startRedis();
  const { hostname, port } = new URL(server.url);
  const way = await startTcpGate({ host: hostname, port: Number(port) });
  onTestFinished(way.stop);
  const { log } = createLogLines();
  const redis = await connectRedis({ server });
  const { url, password } = server;
  const through = `redis://127.0.0.1:${way.port}`;
  const subscriber = createRedisPubSub({ url: through, password, redis, log });
  return { subscriber, publisher: createRedisPubSub({ url, password, redis, log }), ...way };
}

const kinds = [
  ["PostgreSQL", openPostgresqlPair, true],
  ["Redis", openRedisPair, hasRedis],
] as const;

for (const [name, openPair, isThere] of kinds) {
  test.skipIf(!isThere)(
    `a message arrives within 250 ms, and again after the way was cut (${name})`,
    async () => {
      const { subscriber, publisher, cut, mend } = await openPair();
      onTestFinished(() => [subscriber, publisher].forEach(({ close }) => close()));
      const onMessage = vi.fn();
      subscriber.subscribe("a-topic", onMessage);
      // Held open, as by an instance that writes.
      publisher.subscribe("another", () => undefined);
      await waitUntil(() => subscriber.isConnected() && publisher.isConnected());
      for (const _turn of ["before", "after"]) {
        onMessage.mockClear();
        const sentAtMs = performance.now();
        publisher.publish(["a-topic"]);
        await waitUntil(() => onMessage.mock.calls.length > 0, { everyMs: 2 });
        expect(performance.now() - sentAtMs).toBeLessThan(250);
        cut();
        await waitUntil(() => !subscriber.isConnected());
        mend();
        await waitUntil(subscriber.isConnected);
      }
    },
  );
}
