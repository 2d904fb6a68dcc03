import {
  BlockNotFoundError,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  keccak256,
  numberToHex,
  parseTransaction,
} from "viem";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ChainClient } from "~/platform/chain/chain-client.server";

type Fees = { gasPrice: bigint } | { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
/** `maxFeeWei`: the maximum cost on top of the amount. */
export type PaymentTerms = { gas: bigint; fees: Fees; maxFeeWei: bigint; newestBlock: bigint };
export type Block = { number: bigint; hash: Hex; timestampSeconds: number };
export type PaymentReceipt = { isPaid: boolean; blockNumber: bigint; blockHash: Hex; feeWei: bigint };
type Order = { to: Address; amountWei: bigint };
type SentRef = { payer: Address; nonce: number; signedAtBlock: bigint | null };
/** The cost if no code ran: `plainFeeWei` by the signed bytes, `ownPlainFeeWei` as the endpoint shows it. */
export type Spender = {
  hash: Hex;
  block: Block;
  plainFeeWei: (rawTransaction: Hex) => bigint;
  ownPlainFeeWei: bigint;
};

const plainTransferGas = 21_000n;

export type PaymentChain = ReturnType<typeof createPaymentChain>;

/** Only `broadcast` changes anything on the chain. */
export function createPaymentChain(client: ChainClient, privateKey: Hex) {
  const account = privateKeyToAccount(privateKey);
  const { address } = account;
  const chainId = client.chain.id;

  return {
    chainId,
    address,
    readChainId: () => client.getChainId(),
    readBalanceWei: () => client.getBalance({ address }),
    /** Includes pending transactions. */
    readNextNonce: () => client.getTransactionCount({ address, blockTag: "pending" }),
    readCount: (payer: Address) => client.getTransactionCount({ address: payer, blockTag: "latest" }),
    findSpender: (ref: SentRef, head: Block) => findSpender(client, ref, head),

    /** Throws if the payment would fail, for example because the recipient accepts none. */
    async readTerms({ to, amountWei }: Order): Promise<PaymentTerms> {
      const [estimatedGas, { fees, newestBlock }] = await Promise.all([
        client.estimateGas({ account: address, to, value: amountWei }),
        readFees(client),
      ]);
      // A contract, or a chain that charges for its data, may need a little more by the time of the block.
      const gas = estimatedGas === plainTransferGas ? estimatedGas : (estimatedGas * 5n) / 4n;
      const highestPrice = "gasPrice" in fees ? fees.gasPrice : fees.maxFeePerGas;
      return { gas, fees, maxFeeWei: gas * highestPrice, newestBlock };
    },

    async sign({
      to,
      amountWei,
      nonce,
      terms: { gas, fees },
    }: Order & { nonce: number; terms: PaymentTerms }) {
      const shared = { chainId, to, value: amountWei, nonce, gas };
      const rawTransaction: Hex = await account.signTransaction(
        "gasPrice" in fees ? { ...shared, ...fees, type: "legacy" } : { ...shared, ...fees, type: "eip1559" },
      );
      return { rawTransaction, transactionHash: keccak256(rawTransaction) };
    },

    async broadcast(rawTransaction: Hex): Promise<void> {
      await client.sendRawTransaction({ serializedTransaction: rawTransaction });
    },

    async findReceipt(hash: Hex): Promise<PaymentReceipt | null> {
      const receipt = await knownOrNull(client.getTransactionReceipt({ hash }));
      if (receipt === null) return null;
      const { status, blockNumber, blockHash, gasUsed, effectiveGasPrice } = receipt;
      return { isPaid: status === "success", blockNumber, blockHash, feeWei: gasUsed * effectiveGasPrice };
    },

    /** Null if the endpoint knows no such block. */
    async findBlock(blockNumber: bigint): Promise<Block | null> {
      const block = await knownOrNull(client.getBlock({ blockNumber }));
      return block && toBlock(block);
    },

    readHead: async (): Promise<Block> => toBlock(await client.getBlock()),

    /**
     * Whether any endpoint has a receipt of this transaction, or does not show this very block, for example because it
     * is unreachable.
     */
    async isDisputed(hash: Hex, block: Block): Promise<boolean> {
      const [receipts, blocks] = await Promise.all([
        client.askEach({ method: "eth_getTransactionReceipt", params: [hash] }),
        client.askEach({ method: "eth_getBlockByNumber", params: [numberToHex(block.number), false] }),
      ]);
      if (receipts.some(({ result }) => result !== null)) return true;
      return blocks.some(({ result }) => (result as { hash?: unknown } | null)?.hash !== block.hash);
    },

    /** An account without code at that block can only receive money. */
    async hasCode(account: Address, blockNumber: bigint): Promise<boolean> {
      return (await client.getCode({ address: account, blockNumber })) !== undefined;
    },
  };
}

async function knownOrNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const isUnknown = [BlockNotFoundError, TransactionNotFoundError, TransactionReceiptNotFoundError].some(
      (NotFound) => error instanceof NotFound,
    );
    if (isUnknown) return null;
    throw error;
  }
}

function toBlock({ number, hash, timestamp }: { number: bigint; hash: Hex; timestamp: bigint }): Block {
  return { number, hash, timestampSeconds: Number(timestamp) };
}

/** The most that a signed transaction can cost, its amount included. */
export function readMaxCostWei(rawTransaction: Hex): bigint {
  const { value = 0n, gas = 0n, gasPrice, maxFeePerGas } = parseTransaction(rawTransaction);
  return value + gas * (gasPrice ?? maxFeePerGas ?? 0n);
}

/** Whether it can run no code but that of an account which has some. */
export function isPlainTransfer(rawTransaction: Hex): boolean {
  return parseTransaction(rawTransaction).gas === plainTransferGas;
}

/** Null if the block in which the count passes the nonce has no such transaction. Then the count proves nothing. */
async function findSpender(
  client: ChainClient,
  { payer, nonce, signedAtBlock }: SentRef,
  head: Block,
): Promise<Spender | null> {
  const isSpentAt = async (blockNumber: bigint) =>
    (await client.getTransactionCount({ address: payer, blockNumber })) > nonce;
  // Backwards from the head in growing steps: every endpoint has the state of new blocks.
  const oldest = signedAtBlock ?? 0n;
  let spentAt = head.number;
  let unspentAt = -1n;
  for (let step = 1n; spentAt > 0n; step *= 2n) {
    const next = spentAt - step > oldest ? spentAt - step : spentAt > oldest ? oldest : 0n;
    if (!(await isSpentAt(next))) {
      unspentAt = next;
      break;
    }
    spentAt = next;
  }
  while (spentAt - unspentAt > 1n) {
    const middle = (spentAt + unspentAt) / 2n;
    if (await isSpentAt(middle)) spentAt = middle;
    else unspentAt = middle;
  }
  const block = await client.getBlock({ blockNumber: spentAt, includeTransactions: true });
  const spender = block.transactions.find(
    (transaction) => transaction.from.toLowerCase() === payer.toLowerCase() && transaction.nonce === nonce,
  );
  if (!spender) return null;
  const baseFee = block.baseFeePerGas ?? 0n;
  return {
    hash: spender.hash,
    block: toBlock(block),
    plainFeeWei: (rawTransaction) => plainTransferGas * priceIn(parseTransaction(rawTransaction), baseFee),
    ownPlainFeeWei: plainTransferGas * priceIn(spender, baseFee),
  };
}

type OfferedFees = Partial<Record<"gasPrice" | "maxFeePerGas" | "maxPriorityFeePerGas", bigint | undefined>>;

/** The gas price of a transaction in a block with this base fee. */
function priceIn(offered: OfferedFees, baseFeePerGas: bigint): bigint {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = offered;
  if (gasPrice !== undefined) return gasPrice;
  const wanted = baseFeePerGas + maxPriorityFeePerGas;
  return wanted < maxFeePerGas ? wanted : maxFeePerGas;
}

async function readFees(client: ChainClient): Promise<{ fees: Fees; newestBlock: bigint }> {
  const { baseFeePerGas, number: newestBlock } = await client.getBlock();
  if (baseFeePerGas === null) return { fees: { gasPrice: await client.getGasPrice() }, newestBlock };
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { fees: { maxFeePerGas, maxPriorityFeePerGas }, newestBlock };
}
