import { Redis as Client, ReplyError } from "ioredis";
import type { EventLog } from "~/platform/log/log.server";
import { describeTlsError } from "~/platform/config/tls-error";
import { outageReplies, RedisOutage } from "./redis-outage";
import { defineScript } from "./redis-script.server";
import type { RedisScript } from "./redis-script.server";
import { beginSpan, nameFailure } from "~/platform/tracing/spans";

type RedisCall = {
  script: RedisScript;
  keys?: readonly string[];
  parameters?: readonly (string | number)[];
};

export type Redis = {
  /** Precedes every key, so that one server may serve others too. */
  prefix: string;
  /** Runs a script atomically. Throws `RedisOutage` if Redis is unavailable. */
  run: (call: RedisCall) => Promise<unknown>;
  /** A sentence if Redis can't work; null if it reads and writes. Throws like `run`. */
  findFault: () => Promise<string | null>;
  close: () => Promise<void>;
};

type OpenRedisOptions = {
  url: string;
  password: string | null;
  log?: EventLog;
  prefix?: string;
  commandTimeoutMs?: number;
  instrument?: RedisInstrument;
};

/** A reply takes well under a millisecond. */
const defaultCommandTimeoutMs = 1_000;
const connectTimeoutMs = 2_000;
const longestPauseMs = 1_000;

/**
 * Resolves even if Redis is unreachable, and reconnects in the background. A command that can't be sent fails at once.
 * None is sent twice, because the first one may have run.
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
    // After a failover the old server is read-only; the next connection finds the new one.
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
      // QUIT would wait for a reply, and a hanging server would block our shutdown.
      client.disconnect();
      return Promise.resolve();
    },
  };
}

const writeScript = defineScript({
  name: "probe",
  lua: `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`,
});

/** Empty if this user lacks the permission. */
async function readMemoryInfo(client: Client): Promise<string> {
  try {
    return await client.info("memory");
  } catch (error) {
    if (error instanceof ReplyError) return "";
    throw new RedisOutage("Redis is unreachable or did not respond.", { cause: error });
  }
}

async function tellOutage<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (failure) {
    const error = forgetDetails(failure);
    if (error instanceof ReplyError && !outageReplies.test((error as Error).message)) throw error;
    throw new RedisOutage("Redis is unreachable or did not respond.", { cause: error });
  }
}

/** The client attaches the command, passwords included, and Node an untrusted server's certificate. */
function forgetDetails(error: unknown): unknown {
  if (error instanceof Error) {
    delete (error as { command?: unknown }).command;
    delete (error as { cert?: unknown }).cert;
  }
  return error;
}

/** A server that evicts keys would lose consumed nonces and quotas. */
function describeEviction(info: string): string | null {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? "noeviction";
  return policy === "noeviction"
    ? null
    : `Redis may throw away what it was told to keep: its maxmemory-policy is ${policy}. Set it to noeviction.`;
}

/** Logs a lost connection once, each further reason once, and the recovery. */
function followConnection(client: Client, log: OpenRedisOptions["log"]) {
  /** The last known fault. An attempt that ends early doesn't clear it. */
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
  // With TLS only after the certificate is trusted. A wrong password is refused after that, each time.
  client.on("connect", () => {
    fault = null;
  });
  client.on("ready", () => {
    if (told !== undefined) log?.info({}, "Redis available again");
    told = undefined;
  });
  /** null also if the settings are not the reason. */
  return { findConnectionFault: () => fault };
}

/** Strangers may read the sentence. null if the operator's settings are not the reason. */
function describeConnectFault(error: Error): string | null {
  if (error.message.includes("WRONGPASS")) {
    return "Redis refuses the password in STATE_WORKER_API_KEY (or in STATE_WORKER_URL, where it stands there). Write the one that Redis has, and start again.";
  }
  if (error.message.includes("NOAUTH")) {
    return "Redis asks for a password, and none is set. Write it in STATE_WORKER_API_KEY, and start again.";
  }
  return describeTlsError({ error, server: "Redis", setting: "STATE_WORKER_URL" });
}

/** `away`: Redis was unavailable or timed out. `error`: it refused, which is a defect of ours. */
export type RedisOutcome = "ok" | "away" | "error";

type RedisInstrument = {
  /** Called when a command has ended. `command`: the script's name, or the command's own. */
  observe?: (call: { command: string; outcome: RedisOutcome; durationSeconds: number }) => void;
};

type Command<T> = { instrument: RedisInstrument; command: string; script?: string; run: () => Promise<T> };

/** Names only: keys and values contain nonces, network addresses and token IDs. */
async function observeCommand<T>({ instrument, command, script, run }: Command<T>): Promise<T> {
  const { observe } = instrument;
  const startedAtMs = performance.now();
  const span = beginSpan({
    name: script === undefined ? command : `${command} ${script}`,
    attributes: {
      "db.system.name": "redis",
      "db.operation.name": command,
      ...(script !== undefined && { "db.stored_procedure.name": script }),
    },
  });
  function tell(outcome: RedisOutcome): void {
    const durationSeconds = (performance.now() - startedAtMs) / 1_000;
    observe?.({ command: script ?? command, outcome, durationSeconds });
  }
  try {
    const reply = await run();
    tell("ok");
    span.end();
    return reply;
  } catch (error) {
    tell(error instanceof RedisOutage ? "away" : "error");
    span.end({ error: nameFailure(error) });
    throw error;
  }
}
