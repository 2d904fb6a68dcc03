// Shows and resets chat quotas, whether or not the server runs.
import { randomUUID } from "node:crypto";
import os from "node:os";
import { parseArgs } from "node:util";
import { systemClock as clock } from "~/platform/time/clock";
import { loadEnvironmentFile } from "~/platform/config/environment-file.mjs";
import { loadConfig } from "~/settings.server";
import type { Config } from "~/settings.server";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { createLog } from "~/platform/log/log.server";
import { openRedis } from "~/platform/redis/redis.server";
import { createInstanceId } from "~/platform/instance/instance.server";
import { resetQuotas } from "~/quota/quota-reset.server";
import { quotaResetBodySchema } from "~/quota/quota.schema";
import type { QuotaResetOrder } from "~/quota/quota.schema";
import type { QuotaWindowStore } from "~/quota/quota-windows.store.server";
import { createStateStores } from "~/services/state.server";
import { runCommand, UsageError } from "./run-command";

const usage = `Usage: latchkey quota <command> [options]

Commands
  show     list the windows that are open, those used most first
  reset    clear windows, so that their owners have their full quota again

Options of show
  --count N            how many at most, default 50

Options of reset: exactly one of the first three
  --all                every window of the scope
  --token-ids 1,2      the windows of these keys
  --addresses 0x…,0x…  the windows of these addresses
  --scope NAME         token, crypto or both; default both
  --key NAME           the kind of these keys, with KEYS_FILE; default the first

Settings are read from the environment and from .env, as by latchkey start. In the sources: npm run quota -- <command>.
`;

function readCommandLine() {
  return parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean" },
      "token-ids": { type: "string" },
      addresses: { type: "string" },
      scope: { type: "string" },
      key: { type: "string" },
      count: { type: "string", default: "50" },
      help: { type: "boolean" },
    },
  });
}

type Options = ReturnType<typeof readCommandLine>["values"];

function readOrder(options: Options): QuotaResetOrder {
  const list = (text: string | undefined) => text?.split(",").map((entry) => entry.trim());
  const { scope, all, key, "token-ids": tokenIds, addresses } = options;
  const given = { scope, all, key, tokenIds: list(tokenIds), addresses: list(addresses) };
  const order = quotaResetBodySchema.safeParse(given);
  if (order.success) return order.data;
  const [issue] = order.error.issues;
  throw new UsageError([...(issue?.path ?? []), issue?.message].join(": "));
}

async function reset(order: QuotaResetOrder, config: Config, windows: QuotaWindowStore) {
  const actor = { clientId: `command-line:${os.userInfo().username}`, requestId: randomUUID() };
  const result = await resetQuotas(order, actor, {
    windows,
    kinds: config.keys,
    // stdout is for the result.
    log: createLog("info", { write: (line) => void process.stderr.write(line) }),
  });
  for (const kind of ["token", "crypto"] as const) {
    const { deleted } = result[kind] ?? {};
    if (deleted === undefined) continue;
    console.log(`${kind}: ${deleted} ${deleted === 1 ? "window" : "windows"} cleared`);
  }
}

async function show(count: number, config: Config, windows: QuotaWindowStore) {
  const limit = config.quota.tokens;
  const openWindows = await windows.listOpenWindows({ count });
  if (openWindows.length === 0) console.log("No window is open.");
  for (const { kind, subject, used, reserved, resetAtMs } of openWindows) {
    const figures = `used ${used} of ${limit}, reserved ${reserved}`;
    console.log(`${kind} ${subject}: ${figures}, resets ${new Date(resetAtMs).toISOString()}`);
  }
}

await runCommand(usage, async () => {
  const { values: options, positionals } = readCommandLine();
  const [command, ...rest] = positionals;
  if (options.help) return console.log(usage);
  if (rest.length > 0 || (command !== "show" && command !== "reset")) {
    throw new UsageError("Give one command: show or reset.");
  }
  const order = command === "reset" ? readOrder(options) : null;
  if (!/^[1-9]\d{0,5}$/.test(options.count)) throw new UsageError("--count must be a whole number from 1.");
  loadEnvironmentFile();
  const config = loadConfig();
  const database = await openDatabase({ url: config.database.url });
  const redis = config.state.redis && (await openRedis(config.state.redis));
  try {
    const instance = createInstanceId();
    const { quotaWindows } = createStateStores({ database, redis, clock, instance });
    await (order ? reset(order, config, quotaWindows) : show(Number(options.count), config, quotaWindows));
  } finally {
    await Promise.all([closeDatabase(database), redis?.close()]);
  }
});
