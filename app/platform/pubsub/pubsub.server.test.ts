import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLogLines } from "~e2e/support/log-lines";
import { waitUntil } from "~e2e/support/processes";
import { createPubSub } from "./pubsub.server";
import type { ConnectionOptions } from "./pubsub-connection.server";

/** Hands every message to every connection, as a server would, and can be out of order in all the ways one can. */
function createHub() {
  const open = new Set<{ onMessage: (message: string) => void; onLost: () => void }>();
  const sent: string[] = [];
  const fault = { isAway: false, isSilent: false, isStuck: false };
  const connections = { made: 0, most: 0 };
  const connect: ConnectionOptions["connect"] = async (events) => {
    await delay(1);
    if (fault.isAway) throw new Error("The hub is away.");
    open.add(events);
    connections.made += 1;
    connections.most = Math.max(connections.most, open.size);
    return {
      send: async (message) => {
        sent.push(message);
        if (fault.isStuck) await new Promise(() => undefined);
        await delay(1);
        if (!fault.isSilent) for (const each of open) each.onMessage(message);
      },
      close: () => void open.delete(events),
    };
  };
  return { open, sent, fault, connections, connect };
}

/** Heartbeats are far enough apart for a busy machine, except where they are what is tested. */
function openOn(hub: ReturnType<typeof createHub>, heartbeatMs = 2_000) {
  const { log, entries } = createLogLines();
  const pubsub = createPubSub({ connect: hub.connect, log, heartbeatMs, idleMs: 20 });
  onTestFinished(pubsub.close);
  return { pubsub, entries };
}

test("a subscriber hears its topic from another process, no other topic, and nothing of its own", async () => {
  const hub = createHub();
  const [{ pubsub: one }, { pubsub: other }] = [openOn(hub), openOn(hub)];
  const [onMore, onStop] = [vi.fn(), vi.fn()];
  one.subscribe("more", onMore);
  one.subscribe("stop", onStop);
  await waitUntil(one.isConnected);
  [onMore, onStop].forEach((listener) => listener.mockClear());
  one.publish(["stop"]);
  await waitUntil(() => hub.sent.some((message) => message.includes("stop")));
  other.publish(["more"]);
  await waitUntil(() => onMore.mock.calls.length === 1);
  expect(onStop).not.toHaveBeenCalled();
});

test("many topics at once are few messages of a bounded length, each topic once", async () => {
  const hub = createHub();
  const { pubsub } = openOn(hub);
  const topics = Array.from({ length: 1_000 }, (_, index) => `topic-${index}-${"x".repeat(30)}`);
  pubsub.publish([...topics, ...topics]);
  const read = () =>
    hub.sent.flatMap((message) => message.split(",")).filter((part) => part.startsWith("topic"));
  await waitUntil(() => read().length >= topics.length);
  expect(read()).toEqual(topics);
  expect(Math.max(...hub.sent.map((message) => message.length))).toBeLessThan(8_000);
});

test("the connection is one, is opened when it is needed, and closed when it is not", async () => {
  const hub = createHub();
  const { pubsub } = openOn(hub);
  await delay(30);
  expect(hub.connections.made).toBe(0);
  const ends = Array.from({ length: 20 }, (_, index) => pubsub.subscribe(String(index), () => undefined));
  pubsub.publish(["1"]);
  await waitUntil(pubsub.isConnected);
  await delay(60);
  for (const end of ends.slice(1)) end();
  await delay(60);
  expect(hub.open.size).toBe(1);
  ends[0]!();
  await waitUntil(() => hub.open.size === 0);
  pubsub.publish(["a topic of nobody"]);
  await waitUntil(() => hub.sent.some((message) => message.includes("a topic of nobody")));
  await waitUntil(() => hub.open.size === 0);
  expect(hub.connections).toEqual({ made: 2, most: 1 });
});

test("a lost connection is made again, and subscribers look once they may have missed something", async () => {
  const hub = createHub();
  const { pubsub, entries } = openOn(hub);
  const onMessage = vi.fn();
  pubsub.subscribe("more", onMessage);
  await waitUntil(() => onMessage.mock.calls.length === 1);
  hub.fault.isAway = true;
  for (const each of [...hub.open]) each.onLost();
  expect(pubsub.isConnected()).toBe(false);
  // Lost with the outage, and promised to nobody.
  pubsub.publish(["gone"]);
  await delay(300);
  hub.fault.isAway = false;
  await waitUntil(() => onMessage.mock.calls.length === 2);
  await waitUntil(() => entries().length === 2);
  expect(entries().map(({ level }) => level)).toEqual(["warn", "info"]);
  expect(hub.sent.join()).not.toContain("gone");
  expect(hub.connections.most).toBe(1);
});

test.each(["isSilent", "isStuck"] as const)(
  "a connection on which nothing is heard counts as lost: %s",
  async (fault) => {
    const hub = createHub();
    const { pubsub, entries } = openOn(hub, 20);
    const onMessage = vi.fn();
    hub.fault[fault] = true;
    pubsub.subscribe("more", onMessage);
    await waitUntil(() => hub.connections.made > 1);
    expect(hub.connections.most).toBe(1);
    expect(entries()).toHaveLength(1);
    hub.fault[fault] = false;
    await waitUntil(() => entries().length === 2);
    onMessage.mockClear();
    openOn(hub).pubsub.publish(["more"]);
    await waitUntil(() => onMessage.mock.calls.length > 0);
  },
);

test("what is closed stays closed", async () => {
  const hub = createHub();
  const { pubsub } = openOn(hub);
  pubsub.subscribe("more", () => undefined);
  pubsub.close();
  pubsub.publish(["more"]);
  await delay(50);
  expect(hub.open.size).toBe(0);
});
