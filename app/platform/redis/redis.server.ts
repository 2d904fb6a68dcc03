import { Redis as Client, ReplyError } from "ioredis";
import type { EventLog } from "~/platform/log/log.server";
import { describeTlsError } from "~/platform/config/tls-error";
import { RedisOutage, outageReplies } from "./redis-outage";
import { defineScript } from "./redis-script.server";
import type { RedisScript } from "./redis-script.server";
import { observeCommand } from "./redis-instrument.server";
import type { RedisInstrument } from "./redis-instrument.server";

export type RedisCall = {
  script: RedisScript;
  keys?: readonly string[];
  parameters?: readonly (string | number)[];
};

export type Redis = {
  /** Before every key of ours, so that one server may serve others as well. */
  prefix: string;
  /** Runs a script atomically. Throws `RedisOutage` when Redis cannot be asked. */
  run: (call: RedisCall) => Promise<unknown>;
  /** What keeps Redis from doing its work, in a sentence; null when it reads and writes. Throws like `run`. */
  findFault: () => Promise<string | null>;
  close: () => Promise<void>;
};

export type OpenRedisOptions = {
  /** `redis:` or `rediss:`. */
  url: string;
  password: string | null;
  log?: EventLog;
  prefix?: string;
  commandTimeoutMs?: number;
  /** Without it, commands are not observed. */
  instrument?: RedisInstrument;
};

/** An answer takes well under a millisecond; who waits longer than this waits for a server that is away. */
const defaultCommandTimeoutMs = 1_000;
const connectTimeoutMs = 2_000;
const longestPauseMs = 1_000;

/**
 * Resolves also when Redis cannot be reached: it reconnects in the background. A command that cannot be sent at once
 * fails at once, and none is ever sent twice: whether the first one was carried out would be unknown.
 */
export async function openRedis(options: OpenRedisOptions): Promise<Redis> {
  const { url, password, log, prefix = "latchkey:", instrument = {} } = options;
  const client = new Client(url, {
    ...(password === null ? {} : { password }),
    connectTimeout: connectTimeoutMs,
    commandTimeout: options.commandTimeoutMs ?? defaultCommandTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(50 * 2 ** Math.min(attempts, 10), longestPauseMs),
    // After a failover the server that was written to only reads; the next connection finds the new one.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  });
  const { findConnectionFault } = followConnection(client, log);
  await new Promise<void>((resolve) => {
    client.once("ready", () => resolve());
    client.once("error", () => resolve());
  });

  async function run({ script, keys = [], parameters = [] }: RedisCall): Promise<unknown> {
    const values = [...keys.map((key) => prefix + key), ...parameters];
    async function ask(): Promise<unknown> {
      try {
        return await client.evalsha(script.digest, keys.length, ...values);
      } catch (error) {
        // A restarted server has lost its script cache.
        if (!(error instanceof ReplyError) || !(error as Error).message.startsWith("NOSCRIPT")) throw error;
        return await client.eval(script.lua, keys.length, ...values);
      }
    }
    return await observeCommand({
      instrument,
      command: "EVALSHA",
      script: script.name,
      run: () => tellOutage(ask),
    });
  }

  return {
    prefix,
    run,
    findFault: async () => {
      const connectionFault = findConnectionFault();
      if (connectionFault !== null) return connectionFault;
      await run({ script: writeScript, keys: ["probe"] });
      const askMemory = () => readMemoryInfo(client);
      return describeEviction(await observeCommand({ instrument, command: "INFO", run: askMemory }));
    },
    close: async () => {
      // QUIT would wait for an answer: a server that hangs would hold up our shutdown.
      client.disconnect();
      return Promise.resolve();
    },
  };
}

const writeScript = defineScript({
  name: "probe",
  lua: `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`,
});

/** Empty where this user may not ask. */
async function readMemoryInfo(client: Client): Promise<string> {
  try {
    return await client.info("memory");
  } catch (error) {
    if (error instanceof ReplyError) return "";
    throw new RedisOutage("Redis could not be asked, or did not answer.", { cause: error });
  }
}

async function tellOutage<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (failure) {
    const error = forgetDetails(failure);
    if (error instanceof ReplyError && !outageReplies.test((error as Error).message)) throw error;
    throw new RedisOutage("Redis could not be asked, or did not answer.", { cause: error });
  }
}

/** The client attaches what was sent, passwords included; Node, the certificate of a server it does not trust. */
function forgetDetails(error: unknown): unknown {
  if (error instanceof Error) {
    delete (error as { command?: unknown }).command;
    delete (error as { cert?: unknown }).cert;
  }
  return error;
}

/** A server that evicts keys to make room would lose consumed nonces and what was used of a quota. */
function describeEviction(info: string): string | null {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? "noeviction";
  return policy === "noeviction"
    ? null
    : `Redis may throw away what it was told to keep: its maxmemory-policy is ${policy}. Set it to noeviction.`;
}

/** One line for a lost connection, one for each further reason, and one when it is back. */
function followConnection(client: Client, log: OpenRedisOptions["log"]) {
  /** The last one there was: an attempt that ends before the server has shown itself says nothing against it. */
  let fault: string | null = null;
  /** The fault that was logged last; undefined while Redis is available. */
  let told: string | null | undefined;
  client.on("error", (error: Error) => {
    fault = describeConnectFault(error) ?? fault;
    if (told === fault) return;
    told = fault;
    log?.warn(
      { err: forgetDetails(error), ...(fault !== null && { fault }) },
      "Redis unavailable; retrying until it answers",
    );
  });
  // Where it is encrypted, only once the certificate is trusted; a wrong password is refused after that, each time.
  client.on("connect", () => {
    fault = null;
  });
  client.on("ready", () => {
    if (told !== undefined) log?.info({}, "Redis available again");
    told = undefined;
  });
  /** null also where it cannot be reached for a reason that is not in the settings. */
  return { findConnectionFault: () => fault };
}

/** In a sentence that strangers may read; null where the operator's settings are not the reason. */
function describeConnectFault(error: Error): string | null {
  if (error.message.includes("WRONGPASS")) {
    return "Redis refuses the password in STATE_WORKER_API_KEY (or in STATE_WORKER_URL, where it stands there). Write the one that Redis has, and start again.";
  }
  if (error.message.includes("NOAUTH")) {
    return "Redis asks for a password, and none is set. Write it in STATE_WORKER_API_KEY, and start again.";
  }
  return describeTlsError({ error, server: "Redis", setting: "STATE_WORKER_URL" });
}
