import { createPublicClient, createWalletClient, defineChain, http, parseAbi } from "viem";
import type { Hash, PublicClient, TransactionReceipt } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";

const mintAbi = parseAbi(["function mint() payable returns (uint256)"]);

type MintTestKeyOptions = {
  account: PrivateKeyAccount;
  chainId: number;
  contractAddress: `0x${string}`;
  rpcUrl: string;
};

/** Mints a key on a test chain for a wallet that can pay for it, and tells which. */
export async function mintTestKey({
  account,
  chainId,
  contractAddress,
  rpcUrl,
}: MintTestKeyOptions): Promise<string> {
  const chain = defineChain({
    id: chainId,
    name: "test chain",
    nativeCurrency: { name: "Test money", symbol: "TEST", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const transport = http(rpcUrl);
  const wallet = createWalletClient({ account, chain, transport });
  const client = createPublicClient({ chain, transport, pollingInterval: 50 });
  const hash = await wallet.writeContract({ address: contractAddress, abi: mintAbi, functionName: "mint" });
  const { logs } = await waitForReceipt(client, hash);
  const tokenId = logs[0]?.topics[3];
  if (!tokenId) throw new Error("The contract did not say which key it made.");
  return BigInt(tokenId).toString();
}

const receiptLimitMs = 20_000;

/**
 * Asks for the receipt again and again. The library's own waiting asks once for each new block, and a test chain
 * makes no further block until somebody sends a further transaction.
 */
export async function waitForReceipt(
  client: Pick<PublicClient, "getTransactionReceipt">,
  hash: Hash,
): Promise<TransactionReceipt> {
  const giveUpAtMs = Date.now() + receiptLimitMs;
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (Date.now() > giveUpAtMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
