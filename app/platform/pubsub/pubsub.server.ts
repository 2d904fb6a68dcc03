import { randomUUID } from "node:crypto";
import { keepConnection } from "./pubsub-connection.server";
import type { ConnectionOptions, PubSubConnection } from "./pubsub-connection.server";

/**
 * Tells the other processes on the same state that something of a topic has changed. Nothing is promised: a message may be
 * lost or doubled. It only says that a look is worthwhile, so whoever hears none still has to look.
 */
export type PubSub = {
  /** Topics are of ASCII without commas. */
  publish: (topics: readonly string[]) => void;
  /** `onMessage` is also called when messages may have been missed. Returns what ends the subscription. */
  subscribe: (topic: string, onMessage: () => void) => () => void;
  /** Whether messages arrive at present. */
  isConnected: () => boolean;
  close: () => void;
};

/** Where nothing notifies, as among several processes on one SQLite file. */
export const noPubSub: PubSub = {
  publish: () => undefined,
  subscribe: () => () => undefined,
  isConnected: () => false,
  close: () => undefined,
};

/** PostgreSQL takes less than 8,000 bytes. */
const maxMessageChars = 7_000;
/** Beyond, topics are dropped: nothing is promised. */
const maxWaitingTopics = 10_000;
const separator = ",";
const heartbeatTopic = "heartbeat";

/** Topics that are published while a message is on its way go out together with the next one. */
export function createPubSub(options: ConnectionOptions): PubSub {
  const listeners = new Map<string, Set<() => void>>();
  const waiting = new Set<string>();
  const sender = randomUUID();
  let sendingOn: PubSubConnection | null = null;
  const connection = keepConnection(options, {
    isNeeded: () => listeners.size > 0 || waiting.size > 0,
    onOpen: () => [...listeners.keys()].forEach(tell),
    onMessage: receive,
    onHeartbeat: () => publish([heartbeatTopic]),
    onOutage: () => waiting.clear(),
  });

  function tell(topic: string): void {
    for (const listener of [...(listeners.get(topic) ?? [])]) listener();
  }

  function receive(message: string): void {
    const [from, ...topics] = message.split(separator);
    if (from !== sender) topics.forEach(tell);
  }

  function publish(topics: readonly string[]): void {
    for (const topic of topics) if (waiting.size < maxWaitingTopics) waiting.add(topic);
    connection.ensure();
    void flush();
  }

  async function flush(): Promise<void> {
    for (let open = connection.find(); open !== null && sendingOn !== open; open = connection.find()) {
      if (waiting.size === 0) return connection.release();
      sendingOn = open;
      try {
        await open.send([sender, ...takeTopics(waiting)].join(separator));
      } catch (error) {
        connection.lose(open, error);
      }
      if (sendingOn === open) sendingOn = null;
    }
  }

  return {
    publish,
    subscribe(topic, onMessage) {
      const own = listeners.get(topic) ?? new Set();
      // A function of its own, so that one may be subscribed twice.
      const listener = () => onMessage();
      listeners.set(topic, own.add(listener));
      connection.ensure();
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(topic) === own) listeners.delete(topic);
        connection.release();
      };
    },
    isConnected: () => connection.find() !== null,
    close: connection.close,
  };
}

/** As many topics as one message holds. */
function takeTopics(waiting: Set<string>): string[] {
  const topics: string[] = [];
  let length = 0;
  for (const topic of waiting) {
    length += topic.length + separator.length;
    if (length > maxMessageChars && topics.length > 0) break;
    topics.push(topic);
    waiting.delete(topic);
  }
  return topics;
}
