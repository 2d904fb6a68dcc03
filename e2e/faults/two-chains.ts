import { privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { mintTestKey } from "~/commands/client/test-key";
import { startTestChain } from "~/testing/chain";
import { deployKeyContract, developmentAccount, startLocalChain } from "../../contracts/local-chain.mjs";
import type { Later } from "./tidily";

export type Claim = { account: PrivateKeyAccount; tokenId: string };
export type TwoChains = Awaited<ReturnType<typeof startTwoChains>>;

const otherChainId = 5;
const thief = 8;
const buyer = 9;

const accountOf = (index: number) => privateKeyToAccount(developmentAccount(index).privateKey);

/**
 * The chain as it is; the same chain as it was an hour ago, before two keys were sold, and as a liar would have it, in
 * which all the others are a thief's; and another chain, whose keys are all the thief's. Contract and keys have the same names on
 * each.
 */
export async function startTwoChains({ later }: { later: Later }) {
  const chain = await startTestChain();
  later(() => chain.stop());
  const past = await startTestChain();
  later(() => past.stop());
  const other = await startLocalChain({ chainId: otherChainId });
  later(() => other.stop());
  const holders = [0, 1, 2, 3, 4, 5];
  const sellers = [6, 7];
  const claims = async (indexes: number[]): Promise<Claim[]> => {
    const made: Claim[] = [];
    for (const index of indexes)
      made.push({ account: accountOf(index), tokenId: await chain.mintKey(index) });
    return made;
  };
  const owned = await claims(holders);
  const sold = await claims(sellers);
  await past.setTime(Math.floor(Date.now() / 1_000) - 3_600);
  for (const _holder of holders) await past.mintKey(thief);
  for (const seller of sellers) await past.mintKey(seller);
  const { address: contractAddress } = await deployKeyContract({ rpcUrl: other.rpcUrl });
  if (contractAddress !== chain.key.address || contractAddress !== past.key.address)
    throw new Error("The key contract should have one address on all chains.");
  const place = { account: accountOf(thief), chainId: otherChainId, contractAddress, rpcUrl: other.rpcUrl };
  for (const _claim of [...owned, ...sold]) await mintTestKey(place);
  for (const [index, { tokenId }] of sold.entries()) {
    await chain.transferKey({ tokenId, from: sellers[index]!, to: developmentAccount(buyer).address });
  }
  const stolen = owned.map(({ tokenId }) => ({ account: accountOf(thief), tokenId }));
  return {
    contract: contractAddress,
    /** Whose keys they are. */
    owned,
    /** Who says so, and whose keys they are not: former owners, and a thief. */
    pretended: [...sold, ...stolen],
    rpcUrls: { honest: chain.rpcUrl, past: past.rpcUrl, other: other.rpcUrl },
  };
}
