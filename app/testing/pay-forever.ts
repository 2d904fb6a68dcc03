// Makes one payment after the other and prints the key of each that was paid, until killed.
import { writeSync } from "node:fs";
import type { Address, Hex } from "viem";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { openDatabase } from "~/platform/database/database.server";
import { createPayer, paymentLimits } from "./payer";

const [url = "", rpcUrl = "", privateKey = "", to = "", round = "0"] = process.argv.slice(2);
const payer = createPayer({
  database: await openDatabase({ url }),
  client: createChainClient({ rpcUrls: [rpcUrl], chainId: 31337 }),
  privateKey: privateKey as Hex,
  limits: { ...paymentLimits, addressMicroether: 1_000_000_000, dailyMicroether: 1_000_000_000 },
  // Later than the lease of whoever was killed in the round before.
  clock: () => Date.now() + Number(round) * 60_000,
});
for (let number = 0; ; number++) {
  const key = `payment-${round}-${number}`;
  const { status } = await payer.pay({ to: to as Address, amount: "0.000001", key });
  // Synchronously: what was acknowledged must have left this process before it can be killed.
  if (status === "paid") writeSync(1, `${key}\n`);
}
