import type { Address } from "viem";
import { isChainOutage } from "~/platform/chain/chain-client.server";
import { maxLagSeconds } from "~/platform/chain/newest-block.server";
import type { Clock } from "~/platform/clock";
import { Refusal, chainUnavailable } from "~/platform/http/refusal";
import type { ChainCursor, WatchedContract } from "./chain-cursor.store.server";
import { requireMet } from "../require-met";
import type { KeyKinds } from "../kinds/kind";
import type { KeyStore } from "../keys/keys.store.server";
import { readKey } from "./ownership.gateway.server";
import type { KeyContract } from "./ownership.gateway.server";
import type { KeyQuestion } from "./judge";
import { judge } from "./ownership.server";
import { toJudgement } from "./reader-judge.server";
import type { Ownership } from "./ownership.server";

const maxWaitSeconds = 300;
/** Until then a node that has not seen the key leave may be trusted. */
const departureHoldsMs = Number(maxLagSeconds) * 1_000;

export type SettledHoldingDependencies = KeyContract & {
  kinds: KeyKinds;
  keyUseConfirmations: number;
  keys: Pick<KeyStore, "findKeyState">;
  cursors: {
    findCursor: (contract: WatchedContract) => Promise<Pick<ChainCursor, "blockNumber"> | null>;
  };
  clock: Clock;
};

/** Reads the newest block itself, and an older one, for it is final. A membership's expiry is the caller's to check. */
export type RequireSettledHolding = (question: KeyQuestion) => Promise<void>;

export function createSettledHoldings(dependencies: SettledHoldingDependencies): RequireSettledHolding {
  const { client, contractAddress, standard, kinds, keyUseConfirmations, keys, cursors, clock } =
    dependencies;
  const contract = { chainId: client.chain.id, contractAddress };
  const depth = BigInt(keyUseConfirmations);

  async function readHoldingAt(block: bigint, tokenId: string, holder: Address): Promise<Ownership> {
    const reading = await readKey({ client, contractAddress, standard, tokenId, holder, block });
    // The caller has checked whether a membership has expired.
    return judge({ ...reading, hasExpired: false }, holder);
  }

  return async function requireSettledHolding(question) {
    const { tokenId, signer: holder } = question;
    // Before the header, so that a block in between does not make an honest node look late.
    const cursor = await cursors.findCursor(contract);
    const newest = await readHeader(client);
    requireNoLag(newest.number, cursor);
    const older = newest.number > depth ? newest.number - depth : 0n;
    // By number instead of `latest`: a node that lacks the block fails.
    const blocks = depth === 0n ? [newest.number] : [newest.number, older];
    const [now, then] = await Promise.all(blocks.map((block) => readHoldingAt(block, tokenId, holder)));
    // After the chain read, so that departures noticed meanwhile count.
    const { used, departedAtMs } = await keys.findKeyState({ key: { ...contract, tokenId }, holder });
    // A used key is reported first, because waiting would not help.
    if (used) throw new Refusal("this-token-has-already-been-used");
    requireMet(question, toJudgement(now!), kinds);
    requireNoDeparture(tokenId, departedAtMs, clock());
    if (!then || then.owned) return;
    const { timestamp } = await readHeader(client, older);
    const tookSeconds = Number(newest.timestamp - timestamp);
    const waitSeconds = Math.min(Math.max(tookSeconds, 1), maxWaitSeconds);
    const before = depth === 1n ? "1 block" : `${depth} blocks`;
    throw tooRecent(
      `Key #${tokenId} was not in this wallet ${before} before the newest one, ${newest.number}. Wait until block ${newest.number + depth}, about ${waitSeconds} seconds from now, then try again.`,
      waitSeconds,
    );
  };
}

function tooRecent(detail: string, waitSeconds: number): Refusal {
  return new Refusal("holding-too-recent", { detail, headers: { "Retry-After": String(waitSeconds) } });
}

/** An answer from before the watcher's cursor is older than what is already known. */
function requireNoLag(newest: bigint, cursor: Pick<ChainCursor, "blockNumber"> | null): void {
  if (cursor === null || newest >= cursor.blockNumber) return;
  throw chainUnavailable(
    new Error(`The endpoint is at block ${newest}, the watcher has read up to block ${cursor.blockNumber}.`),
  );
}

function requireNoDeparture(tokenId: string, departedAtMs: number | null, nowMs: number): void {
  if (departedAtMs === null || nowMs - departedAtMs >= departureHoldsMs) return;
  const waitSeconds = Math.min(Math.ceil((departedAtMs + departureHoldsMs - nowMs) / 1_000), maxWaitSeconds);
  throw tooRecent(
    `Key #${tokenId} was seen leaving this wallet a short time ago. If it is back, wait about ${waitSeconds} seconds, then try again.`,
    waitSeconds,
  );
}

/** By the header: on some chains a contract sees another block number than the header bears. */
async function readHeader(client: KeyContract["client"], block?: bigint) {
  try {
    return await client.getBlock(block === undefined ? { blockTag: "latest" } : { blockNumber: block });
  } catch (error) {
    throw isChainOutage(error) ? chainUnavailable(error) : error;
  }
}
