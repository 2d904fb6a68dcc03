import { createPublicClient, createWalletClient, http, parseAbi } from "viem";
import type { Hash, PublicClient, TransactionReceipt } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { foundry } from "viem/chains";

const mintAbi = parseAbi(["function mint() payable returns (uint256)"]);
const receiptLimitMs = 20_000;

type MintTestKeyOptions = {
  account: PrivateKeyAccount;
  chainId: number;
  contractAddress: `0x${string}`;
  rpcUrl: string;
};

/** Mints a key on a test chain for a wallet that can pay for it. Returns its id. */
export async function mintTestKey(options: MintTestKeyOptions): Promise<string> {
  const { account, chainId, contractAddress: address, rpcUrl } = options;
  const chain = { ...foundry, id: chainId };
  const transport = http(rpcUrl);
  const wallet = createWalletClient({ account, chain, transport });
  const hash = await wallet.writeContract({ address, abi: mintAbi, functionName: "mint" });
  const { logs } = await waitForReceipt(createPublicClient({ chain, transport }), hash);
  const tokenId = logs[0]?.topics[3];
  if (!tokenId) throw new Error("The contract did not say which key it made.");
  return BigInt(tokenId).toString();
}

/** viem polls once a block, and a test chain adds no block without another transaction. */
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
