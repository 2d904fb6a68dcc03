import type { Address } from "viem";
import { maxLagSeconds } from "~/platform/chain/newest-block.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import { Refusal, chainUnavailable } from "~/platform/refusals/refusal";
import type { KeyStore } from "./keys.store.server";
import type { Judgement, NotHeld } from "../kinds/kind";
import { readHeader } from "./chain-probe.gateway.server";
import type { ChainHead, Judge, KeyQuestion } from "./judge";
import { hasCode } from "./plain-reads.gateway.server";
import { partsOf } from "./reads/part-reads";

const maxWaitSeconds = 300;
/** A node may lag this long, and so miss that the key has left. */
const departureHoldsMs = Number(maxLagSeconds) * 1_000;

type SettledJudgementDependencies = {
  judge: Pick<Judge, "judgeAtDepth" | "noteBlock">;
  clientOf: (chainId: number) => ChainClient;
  keys: Pick<KeyStore, "findKeyState">;
  /** The last block that the watcher has read; null if it doesn't watch the chain. */
  findWatchedBlock: (chainId: number) => Promise<WatchedBlock | null>;
  /** Throws if the kind is not held, or may not be. */
  requireHeld: (judgement: Judgement, question: KeyQuestion) => void;
  clock: Clock;
};

/** Using a key up is final, so this reads each chain's newest block and an older one. */
export type RequireSettled = (question: SettledQuestion) => Promise<void>;
type SettledQuestion = KeyQuestion & {
  /** The signer had no code when it signed. */
  isUndeployed: boolean;
};

export function createSettledJudgements(dependencies: SettledJudgementDependencies): RequireSettled {
  const { judge, clientOf, keys, findWatchedBlock, requireHeld, clock } = dependencies;

  return async function requireSettled({ isUndeployed, ...question }) {
    const { kind, tokenId, signer, vault } = question;
    const chainIds = partsOf(kind).map(({ chainId }) => chainId);
    await Promise.all(
      chainIds.map(async (chainId) => {
        const watched = await findWatchedBlock(chainId);
        if (watched !== null) judge.noteBlock(chainId, watched);
      }),
    );
    const judged = await judge.judgeAtDepth(question);
    // After reading the chains, so that departures noticed meanwhile count.
    const key = { ...kind.keptUnder, tokenId };
    const { used, departedAtMs } = await keys.findKeyState({ key, holder: vault ?? signer });
    // Reported first because waiting doesn't help.
    if (used) throw new Refusal("this-token-has-already-been-used");
    requireHeld(judged.now, question);
    if (isUndeployed) await requireDeployed(clientOf(kind.chainId), signer);
    requireNoDeparture(question, departedAtMs, clock());
    if (judged.then.outcome === "unknown") throw chainUnavailable(judged.then.cause);
    if (judged.then.outcome === "unmet") throw await describeWait(question, judged, clientOf);
  };
}

async function requireDeployed(client: ChainClient, wallet: Address): Promise<void> {
  const found = await hasCode({ client }, wallet);
  if (found instanceof Error) throw chainUnavailable(found);
  if (found) return;
  throw new Refusal("wallet-not-deployed", {
    detail: `The wallet ${wallet} is not deployed yet, and only a deployed wallet can use a key up. Nothing was used up. Deploy the wallet, for instance by sending a first transaction with it, then try again.`,
  });
}

async function describeWait(
  question: KeyQuestion,
  { then, heads }: Awaited<ReturnType<Judge["judgeAtDepth"]>>,
  clientOf: SettledJudgementDependencies["clientOf"],
): Promise<Refusal> {
  const own = heads.find(({ chainId }) => chainId === question.kind.chainId);
  if (own && then.key?.outcome === "unmet") {
    const { newest, confirmations } = own;
    const waitSeconds = await estimateWait(own, clientOf);
    const before = confirmations === 1n ? "1 block" : `${confirmations} blocks`;
    return tooRecent(
      `${describeBefore(question, then.key.reason)} ${before} before the newest one, ${newest.blockNumber}. Wait until block ${newest.blockNumber + confirmations}, about ${waitSeconds} seconds from now, then try again.`,
      waitSeconds,
    );
  }
  const waits = await Promise.all(heads.map((head) => estimateWait(head, clientOf)));
  const waitSeconds = Math.max(1, ...waits);
  return tooRecent(
    `The key's other requirements were not met yet a few blocks before the newest one. Wait about ${waitSeconds} seconds, then try again.`,
    waitSeconds,
  );
}

function describeBefore(question: KeyQuestion, reason: NotHeld | null): string {
  if (reason !== "not-delegate") return `Key #${question.tokenId} was not in ${nameHolder(question)}`;
  return `This wallet was no delegate of ${nameHolder(question)} for this key`;
}

function nameHolder({ vault }: KeyQuestion): string {
  return vault === null ? "this wallet" : `the wallet ${vault}`;
}

/** Assumes that the next blocks take as long as the last ones. */
async function estimateWait(head: ChainHead, clientOf: (chainId: number) => ChainClient): Promise<number> {
  if (head.olderNumber === head.newest.blockNumber) return 1;
  const { blockSeconds } = await readHeader(clientOf(head.chainId), head.olderNumber);
  return Math.min(Math.max(Number(head.newest.blockSeconds - blockSeconds), 1), maxWaitSeconds);
}

function tooRecent(detail: string, waitSeconds: number): Refusal {
  return new Refusal("holding-too-recent", { detail, headers: { "Retry-After": String(waitSeconds) } });
}

function requireNoDeparture(question: KeyQuestion, departedAtMs: number | null, nowMs: number): void {
  if (departedAtMs === null || nowMs - departedAtMs >= departureHoldsMs) return;
  const waitSeconds = Math.min(Math.ceil((departedAtMs + departureHoldsMs - nowMs) / 1_000), maxWaitSeconds);
  throw tooRecent(
    `Key #${question.tokenId} was seen leaving ${nameHolder(question)} a short time ago. If it is back, wait about ${waitSeconds} seconds, then try again.`,
    waitSeconds,
  );
}
