import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { mintTestKey } from "../../../contracts/mint-test-key";
import { startTestChain } from "~e2e/support/chain/chain";
import { deployKeyContract, developmentAccount, startLocalChain } from "../../../contracts/local-chain.mjs";
import type { Later } from "../cleanup";

type Claim = { account: PrivateKeyAccount; tokenId: string };
/** A claimant of a key. */
export type Claimant = {
  claim: Claim;
  isOwner: boolean;
  /** Whether the recent endpoint contradicts the claim. */
  isDisputed: boolean;
};
export type TwoChains = Awaited<ReturnType<typeof startTwoChains>>;

const otherChainId = 5;
const holders = [0, 1, 2, 3, 4, 5];
const sellers = [6, 7];
const thief = 8;
const buyer = 9;
/** On the recent chain, the thief owns these holders' keys. The other holders' ownership is never in doubt there. */
const robbed = [0, 1, 2, 3];
/** One is too old. The other is within the 120 s for which an endpoint is trusted. */
const [pastSeconds, recentSeconds] = [3_600, 60];

const accountOf = (index: number) => privateKeyToAccount(developmentAccount(index).privateKey);

/**
 * Four chains with the same contract and key names. `chain` is the truth. `past` is an hour old, from before two sales,
 * and gives the others' keys to a thief. `recent` is a minute old, also from before the sales, and gives most of the
 * others' keys to the thief. `other` is another chain, where the thief owns every key.
 */
export async function startTwoChains(later: Later) {
  async function startChain() {
    const started = await startTestChain();
    later(() => started.stop());
    return started;
  }
  const [chain, past, recent] = [await startChain(), await startChain(), await startChain()];
  const other = await startLocalChain({ chainId: otherChainId });
  later(() => other.stop());
  const claims = async (indexes: number[]): Promise<Claim[]> => {
    const made: Claim[] = [];
    for (const index of indexes)
      made.push({ account: accountOf(index), tokenId: await chain.mintKey(index) });
    return made;
  };
  const owned = await claims(holders);
  const sold = await claims(sellers);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  await past.setTime(nowSeconds - pastSeconds);
  for (const _holder of holders) await past.mintKey(thief);
  await recent.setTime(nowSeconds - recentSeconds);
  for (const holder of holders) await recent.mintKey(robbed.includes(holder) ? thief : holder);
  for (const seller of sellers) await Promise.all([past, recent].map((one) => one.mintKey(seller)));
  const { address: contractAddress } = await deployKeyContract({ rpcUrl: other.rpcUrl });
  if ([chain, past, recent].some(({ key }) => key.address !== contractAddress))
    throw new Error("The key contract should have one address on all chains.");
  const site = { account: accountOf(thief), chainId: otherChainId, contractAddress, rpcUrl: other.rpcUrl };
  for (const _claim of [...owned, ...sold]) await mintTestKey(site);
  for (const [index, { tokenId }] of sold.entries()) {
    await chain.transferKey({ tokenId, from: sellers[index]!, to: developmentAccount(buyer).address });
  }
  // The liar would be ignored if it were a block behind, so it is not.
  const [tall, short] = [await chain.viewer.getBlockNumber(), await recent.viewer.getBlockNumber()];
  await recent.control.mine({ blocks: Number(tall - short) });
  const isRobbed = (_claim: Claim, index: number) => robbed.includes(holders[index]!);
  const stranger = privateKeyToAccount(generatePrivateKey());
  const claimants: Claimant[] = [
    ...owned.map((claim, at) => ({ claim, isOwner: true, isDisputed: isRobbed(claim, at) })),
    ...sold.map((claim) => ({ claim, isOwner: false, isDisputed: true })),
    ...owned.map((claim, at) => ({
      claim: { ...claim, account: accountOf(thief) },
      isOwner: false,
      isDisputed: isRobbed(claim, at),
    })),
    // Claims that no endpoint supports.
    ...[owned[0]!, owned.at(-1)!, sold[0]!].map((claim) => ({
      claim: { ...claim, account: stranger },
      isOwner: false,
      isDisputed: false,
    })),
  ];
  return {
    contract: contractAddress,
    /** Holders, former owners, a thief and a stranger. */
    claimants,
    /** Keys with another owner on the recent endpoint. */
    disputed: new Set(claimants.flatMap(({ claim, isDisputed }) => (isDisputed ? [claim.tokenId] : []))),
    rpcUrls: { honest: chain.rpcUrl, past: past.rpcUrl, recent: recent.rpcUrl, other: other.rpcUrl },
  };
}
