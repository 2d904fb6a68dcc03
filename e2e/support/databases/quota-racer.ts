// One of several server-like processes on one database. Each line on stdin is an order: `<times> <wanted> <settled>`.
// It reserves that many replies at once and settles each with that many tokens (`-`: never), then prints the amounts.
// It sends heartbeats while it runs.
import { createInterface } from "node:readline";
import { systemClock as clock } from "~/platform/time/clock";
import { openDatabase } from "~/platform/database/database.server";
import { openRedis } from "~/platform/redis/redis.server";
import { createStateStores } from "~/services/state.server";

const [url = "", subject = "", limit = "", expiresInSeconds = "", instance = "", ...redisAddress] =
  process.argv.slice(2);
const [redisUrl = "", password = "", prefix = ""] = redisAddress;
const { quota: store } = createStateStores({
  database: await openDatabase({ url }),
  redis: redisUrl === "" ? null : await openRedis({ url: redisUrl, password, prefix }),
  clock,
  instance,
});

async function answerOnce(wanted: number, settled: string): Promise<number> {
  const outcome = await store.reserve({
    owner: { kind: "token", subject },
    wanted,
    limit: Number(limit),
    windowSeconds: 600,
    expiresInSeconds: Number(expiresInSeconds),
  });
  if (outcome.outcome === "exhausted") return 0;
  const { reservationId, amount } = outcome;
  if (settled !== "-") {
    await store.settle({ reservationId, usedTokens: Math.min(amount, Number(settled)) });
  }
  return amount;
}

const livingMs = 1_000;
await store.sendHeartbeat({ timeoutMs: livingMs });
setInterval(() => void store.sendHeartbeat({ timeoutMs: livingMs }), livingMs / 10).unref();

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const [times = "", wanted = "", settled = ""] = line.split(" ");
  const answers = Array.from({ length: Number(times) }, () => answerOnce(Number(wanted), settled));
  process.stdout.write(`${JSON.stringify(await Promise.all(answers))}\n`);
}
