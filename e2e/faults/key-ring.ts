import { setTimeout as delay } from "node:timers/promises";
import { createPublicClient, http, numberToHex, parseAbi, toFunctionSelector } from "viem";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Holder } from "~/commands/signed-requests";
import { developmentAccount } from "../../contracts/local-chain.mjs";

const batch = 200;
const wallets = 4;
const mintedWithinMs = 30_000;
const keyAbi = parseAbi(["function totalSupply() view returns (uint256)"]);
const mintSelector = toFunctionSelector("mint()");
/** A batch fits into one block of 30 million. */
const mintGas = "0x1d4c0";

/**
 * Thousands of keys in the wallets of the development accounts, which the local chain signs for. Only the key ring may
 * mint, because a key's number follows from the order. The last account never holds one.
 */
export function createKeyRing(rpcUrl: string, contract: Hex) {
  const client = createPublicClient({ transport: http(rpcUrl, { batch: { batchSize: batch } }) });
  const stock: Holder[] = [];
  let minted = 0n;
  let minting: Promise<void> = Promise.resolve();

  const ask = (method: string, ...params: unknown[]) =>
    client.request({ method: method as never, params: params as never });

  async function mintBatch(): Promise<void> {
    const owner = Number((minted / BigInt(batch)) % BigInt(wallets));
    const account = privateKeyToAccount(developmentAccount(owner).privateKey);
    const firstNonce = await client.getTransactionCount({ address: account.address });
    // Mined together. One block each would take minutes, and transactions out of order would get stuck.
    await ask("evm_setAutomine", false);
    const call = { from: account.address, to: contract, data: mintSelector, gas: mintGas };
    await Promise.all(
      Array.from({ length: batch }, (_, index) =>
        ask("eth_sendTransaction", { ...call, nonce: numberToHex(firstNonce + index) }),
      ),
    );
    const first = minted + 1n;
    minted += BigInt(batch);
    await mineUntil(minted);
    for (let id = first; id <= minted; id += 1n) stock.push({ account, tokenId: id.toString() });
  }

  async function mineUntil(wanted: bigint): Promise<void> {
    const deadline = Date.now() + mintedWithinMs;
    for (;;) {
      await ask("evm_mine");
      const supply = await client.readContract({
        address: contract,
        abi: keyAbi,
        functionName: "totalSupply",
      });
      if (supply === wanted) return;
      if (Date.now() > deadline) throw new Error(`There are ${supply} keys instead of ${wanted}.`);
      await delay(20);
    }
  }

  /** A key that no client had before. */
  async function take(): Promise<Holder> {
    for (;;) {
      const holder = stock.shift();
      if (holder) return holder;
      minting = minting.then(() => (stock.length === 0 ? mintBatch() : undefined));
      await minting;
    }
  }

  const stranger = privateKeyToAccount(developmentAccount(9).privateKey);
  return { take, stranger };
}
