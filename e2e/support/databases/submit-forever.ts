// Submits with one key after the other until killed, and prints the number of each accepted one.
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { createSubmissionStore } from "~/gate/form/submissions.store.server";
import { systemClock as clock } from "~/platform/time/clock";
import { openDatabase } from "~/platform/database/database.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";

const [url = "", first = ""] = process.argv.slice(2);
const database = await openDatabase({ url });
const outbox = createOutboxStore(database, clock, ["webhook", "email"]);
const store = createSubmissionStore(database, clock, outbox);
for (let number = Number(first); ; number++) {
  const { outcome } = await store.submitOnce({
    key: { chainId: 1, contractAddress: "0xab", tokenId: String(number) },
    submissionId: randomUUID(),
    usedBy: "0xcd",
    message: "m".repeat(2_000),
    messageHash: null,
    requestId: "r",
    notification: { kind: "k", data: {} },
  });
  // Synchronous, so an acknowledged number leaves this process before it can be killed.
  if (outcome === "accepted") writeSync(1, `${number}\n`);
}
