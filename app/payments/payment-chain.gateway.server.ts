import { TransactionNotFoundError, TransactionReceiptNotFoundError, keccak256 } from "viem";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ChainClient } from "~/platform/chain/chain-client.server";

type Fees = { gasPrice: bigint } | { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
/** The most a payment can cost beside its amount stands in `maxFeeWei`. */
export type PaymentTerms = { gas: bigint; fees: Fees; maxFeeWei: bigint };
export type PaymentReceipt = { isPaid: boolean; blockNumber: bigint; feeWei: bigint };

/** Deep enough to stay in the chain, and not so deep that endpoints have forgotten the state of that block. */
const settledDepth = 64n;
const plainTransferGas = 21_000n;

export type PaymentChain = ReturnType<typeof createPaymentChain>;

/** The wallet that pays. Nothing but `broadcast` changes anything on the chain. */
export function createPaymentChain({ client, privateKey }: { client: ChainClient; privateKey: Hex }) {
  const account = privateKeyToAccount(privateKey);
  const chainId = client.chain.id;

  /** Throws where the payment could not be carried out, for example because the recipient takes none. */
  async function readTerms({ to, amountWei }: { to: Address; amountWei: bigint }): Promise<PaymentTerms> {
    const [estimatedGas, fees] = await Promise.all([
      client.estimateGas({ account: account.address, to, value: amountWei }),
      readFees(client),
    ]);
    // A contract, or a chain that charges for its data, may want a little more by the time of the block.
    const gas = estimatedGas === plainTransferGas ? estimatedGas : (estimatedGas * 5n) / 4n;
    return { gas, fees, maxFeeWei: gas * ("gasPrice" in fees ? fees.gasPrice : fees.maxFeePerGas) };
  }

  async function sign({
    to,
    amountWei,
    nonce,
    terms: { gas, fees },
  }: {
    to: Address;
    amountWei: bigint;
    nonce: number;
    terms: PaymentTerms;
  }): Promise<{ rawTransaction: Hex; transactionHash: Hex }> {
    const shared = { chainId, to, value: amountWei, nonce, gas };
    const rawTransaction = await account.signTransaction(
      "gasPrice" in fees ? { ...shared, ...fees, type: "legacy" } : { ...shared, ...fees, type: "eip1559" },
    );
    return { rawTransaction, transactionHash: keccak256(rawTransaction) };
  }

  /** May be repeated: the chain takes a transaction once. */
  async function broadcast(rawTransaction: Hex): Promise<void> {
    await client.sendRawTransaction({ serializedTransaction: rawTransaction });
  }

  async function findReceipt(hash: Hex): Promise<PaymentReceipt | null> {
    try {
      const receipt = await client.getTransactionReceipt({ hash });
      const { status, blockNumber, gasUsed, effectiveGasPrice } = receipt;
      return { isPaid: status === "success", blockNumber, feeWei: gasUsed * effectiveGasPrice };
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError || error instanceof TransactionNotFoundError)
        return null;
      throw error;
    }
  }

  /** Whether a transaction with this nonce has long been in the chain: another one with it never will be. */
  async function isNonceSpent({ payer, nonce }: { payer: Address; nonce: number }): Promise<boolean> {
    const latest = await client.getBlockNumber();
    if (latest < settledDepth) return false;
    const count = await client.getTransactionCount({ address: payer, blockNumber: latest - settledDepth });
    return count > nonce;
  }

  return {
    chainId,
    address: account.address,
    readChainId: () => client.getChainId(),
    readBalanceWei: () => client.getBalance({ address: account.address }),
    /** Counts what waits for a block as well. */
    readNextNonce: () => client.getTransactionCount({ address: account.address, blockTag: "pending" }),
    readTerms,
    sign,
    broadcast,
    findReceipt,
    isNonceSpent,
  };
}

async function readFees(client: ChainClient): Promise<Fees> {
  const { baseFeePerGas } = await client.getBlock();
  if (baseFeePerGas === null) return { gasPrice: await client.getGasPrice() };
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { maxFeePerGas, maxPriorityFeePerGas };
}
