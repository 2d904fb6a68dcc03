// One of several server-like processes on one database. It opens the database, says "ready", waits for a line on stdin,
// makes all its calls at once and prints how often it won.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createSpentSignatureStore } from "~/gate/proofs/nonces.store.server";
import { createSubmissionStore } from "~/gate/form/submissions.store.server";
import { systemClock as clock } from "~/platform/time/clock";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import { openRedis } from "~/platform/redis/redis.server";
import { createStateStores } from "~/services/state.server";

const [url = "", times = "", redisUrl = "", password = "", prefix = ""] = process.argv.slice(2);
const database = await openDatabase({ url });
const redis = redisUrl === "" ? null : await openRedis({ url: redisUrl, password, prefix });
const { nonces, limits: store } = createStateStores({ database, redis, clock, instance: "racer" });
const signatures = createSpentSignatureStore(database);
const submissions = createSubmissionStore(database, clock, createOutboxStore(database, clock, ["webhook"]));
const limiters = (["fixed", "sliding"] as const).map((algorithm) =>
  createRateLimiter({
    store,
    name: algorithm,
    points: 60,
    windowSeconds: 600,
    algorithm,
    clock,
    onStoreFailure(error) {
      throw error;
    },
  }),
);

const wins = { nonce: 0, signature: 0, submission: 0, fixed: 0, sliding: 0 };

async function takePart(): Promise<void> {
  const [fixed, sliding] = limiters;
  if ((await nonces.consumeNonce({ value: "contested", clientId: "c" })) === "consumed") wins.nonce++;
  if (await signatures.spendSignature({ digest: "contested", expiresAtMs: clock() + 60_000 }))
    wins.signature++;
  const { outcome } = await submissions.submitOnce({
    key: { chainId: 1, contractAddress: "0xab", tokenId: "1" },
    submissionId: `${process.pid}`,
    usedBy: "0xcd",
    message: "m",
    messageHash: null,
    requestId: String(process.pid),
    notification: { kind: "k", data: {} },
  });
  if (outcome === "accepted") wins.submission++;
  if ((await fixed?.consume("contested"))?.allowed) wins.fixed++;
  if ((await sliding?.consume("contested"))?.allowed) wins.sliding++;
}

const lines = createInterface({ input: process.stdin });
process.stdout.write("ready\n");
await once(lines, "line");
lines.close();
await Promise.all(Array.from({ length: Number(times) }, takePart));
await Promise.all([closeDatabase(database), redis?.close()]);
process.stdout.write(`${JSON.stringify(wins)}\n`);
