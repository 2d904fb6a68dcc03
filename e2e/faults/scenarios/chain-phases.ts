import { setTimeout as delay } from "node:timers/promises";
import { decodeDeployData } from "viem";
import type { Abi, Hex } from "viem";
import type { RpcFault, RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { Random } from "../random";
import type { TwoChains } from "./two-chains";
import chainProbe from "../../../contracts/artifacts/ChainProbe.json";

/** Every invalid response of an endpoint. */
const failures: readonly RpcFault[] = [
  ...(["hanging", "hanging-after-headers", "reset", "http-500", "http-429", "html"] as const),
  ...(["empty", "truncated-json", "no-result", "wrong-type", "rpc-error"] as const),
];
/** The failures that show at once. */
const flaps: readonly RpcFault[] = ["http-429", "http-500", "reset"];

export type Site = {
  chains: TwoChains;
  endpoints: [RpcFaultServer, RpcFaultServer];
  dice: Random;
  /** Requests about a disputed key to an endpoint that lies, while it was first and second. */
  asked: { past: [number, number]; recent: [number, number] };
};
export type Phase = {
  name: string;
  /** One endpoint always answers, and correctly about undisputed keys, so all holders are admitted. */
  isServed: boolean;
  /** An endpoint that lies about a recent block is first and trusted: a known limit, which is counted. */
  isMisled?: boolean;
  /** At the end, the first endpoint is repaired but the second goes on lying. */
  isHalfMended?: boolean;
  /** Called repeatedly. Resolves when its effect has lasted long enough. */
  play: (site: Site) => Promise<void>;
};

const change = (dice: Random) => delay(30 + dice.next() * 250);

export function mend({ chains, endpoints }: Site): void {
  for (const endpoint of endpoints) {
    endpoint.setFault("none");
    endpoint.setUpstream(chains.rpcUrls.honest);
  }
}

function answerFrom(site: Site, position: 0 | 1, source: "past" | "recent"): void {
  const { disputed } = site.chains;
  site.endpoints[position].setUpstream((method, params) => {
    if (method === "eth_call") site.asked[source][position] += countReads(params, disputed);
    return site.chains.rpcUrls[source];
  });
}

/** A call may carry several reads. */
function countReads(params: readonly unknown[] = [], disputed: ReadonlySet<string>): number {
  const { to, data } = params[0] as { to?: Hex; data: Hex };
  const isDisputed = (read: Hex) => read !== "0x" && disputed.has(String(BigInt(`0x${read.slice(-64)}`)));
  if (to) return Number(isDisputed(data));
  const { args } = decodeDeployData({
    abi: chainProbe.abi as Abi,
    bytecode: chainProbe.bytecode as Hex,
    data,
  });
  const [reads] = args as unknown as [{ data: Hex }[]];
  return reads.filter((read) => isDisputed(read.data)).length;
}

async function flap({ endpoints, dice }: Site, faults: readonly RpcFault[]): Promise<void> {
  endpoints[0].setFault(dice.next() < 0.4 ? "none" : dice.pick(faults)!);
  await change(dice);
}

export const phases: readonly Phase[] = [
  {
    name: "the second endpoint contradicts the first, far behind or of a recent block",
    isServed: true,
    play: async ({ chains, endpoints, dice }) => {
      endpoints[1].setUpstream(dice.pick([chains.rpcUrls.past, chains.rpcUrls.recent])!);
      await change(dice);
    },
  },
  {
    name: "the first endpoint flaps",
    isServed: true,
    play: (site) => flap(site, failures),
  },
  {
    name: "the first endpoint flaps while the second is far behind",
    isServed: false,
    play: async (site) => {
      answerFrom(site, 1, "past");
      await flap(site, flaps);
    },
  },
  {
    name: "the first endpoint flaps while the second contradicts it, of a recent block",
    isServed: true,
    isMisled: true,
    isHalfMended: true,
    play: async (site) => {
      answerFrom(site, 1, "recent");
      await flap(site, flaps);
    },
  },
  {
    name: "the first endpoint falls far behind",
    isServed: true,
    play: async (site) => {
      answerFrom(site, 0, "past");
      await change(site.dice);
    },
  },
  {
    name: "the first endpoint lags a minute behind, and lies",
    isServed: true,
    isMisled: true,
    play: async (site) => {
      answerFrom(site, 0, "recent");
      await change(site.dice);
    },
  },
  {
    name: "the first endpoint is on another chain, and says so or not",
    isServed: true,
    play: async ({ chains, endpoints, dice }) => {
      const { other, honest } = chains.rpcUrls;
      const isOpen = dice.next() < 0.5;
      endpoints[0].setUpstream((method) => (isOpen || method !== "eth_chainId" ? other : honest));
      await change(dice);
    },
  },
  {
    name: "now the one, now the other endpoint fails",
    isServed: false,
    play: async ({ endpoints, dice }) => {
      const failing = dice.pick([0, 1])!;
      endpoints[failing]!.setFault(dice.pick(failures)!);
      endpoints[1 - failing]!.setFault("none");
      await change(dice);
    },
  },
  {
    name: "both endpoints fail",
    isServed: false,
    play: async ({ endpoints, dice }) => {
      for (const endpoint of endpoints) endpoint.setFault(dice.pick(failures)!);
      await change(dice);
    },
  },
];
