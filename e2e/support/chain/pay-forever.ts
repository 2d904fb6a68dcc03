// Makes one payment after the other until killed, and prints the key of each paid one.
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Address, Hex } from "viem";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { openDatabase } from "~/platform/database/database.server";
import { createPayer, paymentLimits } from "./payer";

const [url = "", rpcUrl = "", privateKey = "", to = "", round = "0", turnSeconds = "1", aheadMs = "0"] =
  process.argv.slice(2);
// The whole process has that time, as on a machine with a wrong clock.
const realNow = Date.now;
Date.now = () => realNow() + Number(aheadMs);
const payer = createPayer({
  database: await openDatabase({ url }),
  client: createChainClient({ rpcUrls: [rpcUrl], chainId: 31337 }),
  privateKey: privateKey as Hex,
  limits: { ...paymentLimits, addressMicroether: 1_000_000_000, dailyMicroether: 1_000_000_000 },
  // The lease of a process killed in the last round delays the next one this long.
  turnSeconds: Number(turnSeconds),
});
for (let number = 0; ; number++) {
  const key = `payment-${round}-${number}`;
  const { status } = await payer.pay({ to: to as Address, amount: "0.000001", key });
  // Synchronous, so an acknowledged payment leaves this process before it can be killed.
  if (status === "paid") writeSync(1, `${key}\n`);
  // Processes that wait for their turn poll this often.
  await delay(payer.pollMs);
}
