import { setTimeout as delay } from "node:timers/promises";
import { startRpcFaultServer } from "~/testing/rpc-fault-server";
import type { RpcFault, RpcFaultServer } from "~/testing/rpc-fault-server";
import { startServer } from "~/testing/running-server";
import { limitsOff } from "../api/chat-fixture";
import { clientOf } from "../api/gate-fixture";
import type { Answer } from "../api/gate-fixture";
import { createDice } from "./dice";
import type { Dice } from "./dice";
import type { Figure, Scenario, ScenarioRun } from "./scenario";
import { createTally, keepBusy } from "./tally";
import type { Tally } from "./tally";
import { tidily } from "./tidily";
import type { Later } from "./tidily";
import { startTwoChains } from "./two-chains";
import type { Claim, TwoChains } from "./two-chains";

/** All that an endpoint can answer that is no answer. */
const failures: readonly RpcFault[] = [
  ...(["hanging", "hanging-after-headers", "reset", "http-500", "http-429", "html"] as const),
  ...(["empty", "truncated-json", "no-result", "wrong-type", "rpc-error"] as const),
];
const phaseMs = 5_000;
const leastPhaseMs = 1_500;

type Endpoints = [RpcFaultServer, RpcFaultServer];
type Place = {
  chains: TwoChains;
  endpoints: Endpoints;
  dice: Dice;
  /** How often an endpoint far behind was asked who holds a key, while it stood first and second. */
  askedBehind: [number, number];
};
type Phase = {
  name: string;
  /** Whether one endpoint answers rightly all the time: then holders are let in, all of them. */
  isServed: boolean;
  /** Called again and again; resolves when what it did has lasted long enough. */
  play: (place: Place) => Promise<void>;
};

const change = (dice: Dice) => delay(30 + dice.next() * 250);

function mend({ chains, endpoints }: Place): void {
  for (const endpoint of endpoints) {
    endpoint.setFault("none");
    endpoint.setUpstream(chains.rpcUrls.honest);
  }
}

function fallBehind({ place, position }: { place: Place; position: 0 | 1 }): void {
  place.endpoints[position].setUpstream((method) => {
    if (method === "eth_call") place.askedBehind[position] += 1;
    return place.chains.rpcUrls.past;
  });
}

const phases: readonly Phase[] = [
  {
    name: "the second endpoint is far behind, and says the old owners",
    isServed: true,
    play: async ({ chains, endpoints, dice }) => {
      endpoints[1].setUpstream(chains.rpcUrls.past);
      await change(dice);
    },
  },
  {
    name: "the first endpoint flaps",
    isServed: true,
    play: async ({ endpoints, dice }) => {
      endpoints[0].setFault(dice.next() < 0.4 ? "none" : dice.pick(failures));
      await change(dice);
    },
  },
  {
    name: "the first endpoint flaps while the second is far behind",
    isServed: false,
    play: async (place) => {
      const { endpoints, dice } = place;
      fallBehind({ place, position: 1 });
      endpoints[0].setFault(dice.next() < 0.4 ? "none" : dice.pick(["http-429", "http-500", "reset"]));
      await change(dice);
    },
  },
  {
    name: "the first endpoint falls far behind",
    isServed: true,
    play: async (place) => {
      fallBehind({ place, position: 0 });
      await change(place.dice);
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
      const failing = dice.pick([0, 1]);
      endpoints[failing]!.setFault(dice.pick(failures));
      endpoints[1 - failing]!.setFault("none");
      await change(dice);
    },
  },
  {
    name: "both endpoints fail",
    isServed: false,
    play: async ({ endpoints, dice }) => {
      for (const endpoint of endpoints) endpoint.setFault(dice.pick(failures));
      await change(dice);
    },
  },
];

/** Files an answer under what it means for the one who asked. */
function judge({
  answer,
  isOwner,
  isServed,
  tally,
}: {
  answer: Answer;
  isOwner: boolean;
  isServed: boolean;
  tally: Tally;
}): void {
  const { status, body, headers } = answer;
  const isSaid = typeof body.detail === "string" && body.detail.length > 0;
  if (status === 503 && isSaid && Number(headers.get("retry-after")) > 0) {
    tally.count(isOwner && isServed ? "not served" : "unavailable");
  } else if (status === 200) tally.count(isOwner ? "let in" : "wrongly let in");
  else if (status === 403) tally.count(isOwner ? "wrongly refused" : "refused");
  else tally.count("without words");
}

async function playPhase({
  phase,
  place,
  durationMs,
  tally,
}: {
  phase: Phase;
  place: Place;
  durationMs: number;
  tally: Tally;
}): Promise<{ recoveryMs: number }> {
  const { chains, endpoints } = place;
  mend(place);
  const server = await startServer({
    env: {
      ...limitsOff,
      ...{ RPC_URL: endpoints.map(({ url }) => url).join(","), KEY_CONTRACT_ADDRESS: chains.contract },
      ...{ OWNERSHIP_CACHE_SECONDS: "0", CHAIN_POLL_SECONDS: "1" },
      // Each claim comes from an address of its own.
      TRUST_PROXY: "loopback",
    },
  });
  try {
    const client = clientOf(server);
    const claims = [
      ...chains.owned.map((claim) => ({ claim, isOwner: true })),
      ...chains.pretended.map((claim) => ({ claim, isOwner: false })),
    ];
    // How new the chain is has to have been seen once, before anything can be known to be far behind.
    await measureRecovery({ signIn: client.signIn, owned: chains.owned });
    const overAtMs = performance.now() + durationMs;
    const isOver = () => performance.now() >= overAtMs;
    const playing = (async () => {
      while (!isOver()) await phase.play(place);
    })();
    await keepBusy({
      lanes: claims.length,
      isOver,
      work: async (lane) => {
        const { claim, isOwner } = claims[lane]!;
        const answer = await tally.time(() => client.signIn(claim));
        judge({ answer, isOwner, isServed: phase.isServed, tally });
      },
    });
    await playing;
    mend(place);
    return { recoveryMs: await measureRecovery({ signIn: client.signIn, owned: chains.owned }) };
  } finally {
    await server.stop();
  }
}

/** How long until every holder is let in again; infinite where that takes more than a minute. */
async function measureRecovery({
  signIn,
  owned,
}: {
  signIn: (claim: Claim) => Promise<Answer>;
  owned: readonly Claim[];
}): Promise<number> {
  const mendedAtMs = performance.now();
  const elapsedMs = () => performance.now() - mendedAtMs;
  while (elapsedMs() < 60_000) {
    const answers = await Promise.all(owned.map(signIn));
    if (answers.every(({ status }) => status === 200)) return elapsedMs();
    await delay(100);
  }
  return Infinity;
}

async function startEndpoint({ later, upstreamUrl }: { later: Later; upstreamUrl: string }) {
  const endpoint = await startRpcFaultServer({ upstreamUrl });
  later(() => endpoint.stop());
  return endpoint;
}

async function play({ scale, seed, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const chains = await startTwoChains({ later });
  const { honest: upstreamUrl } = chains.rpcUrls;
  const endpoints: Endpoints = [
    await startEndpoint({ later, upstreamUrl }),
    await startEndpoint({ later, upstreamUrl }),
  ];
  const place: Place = { chains, endpoints, dice: createDice(seed), askedBehind: [0, 0] };
  const durationMs = Math.max(leastPhaseMs, phaseMs * scale);
  const tally = createTally();
  let recoveryMs = 0;
  for (const phase of phases) {
    const ended = await playPhase({ phase, place, durationMs, tally });
    recoveryMs = Math.max(recoveryMs, ended.recoveryMs);
    say(`${phase.name}: ${tally.say()}`);
  }
  return [
    { what: "sign-ins judged", measured: tally.total(), bound: { atLeast: 50 } },
    { what: "former owners and thieves let in", measured: tally.of("wrongly let in"), bound: { equals: 0 } },
    {
      what: "holders told that the key is not theirs",
      measured: tally.of("wrongly refused"),
      bound: { equals: 0 },
    },
    {
      what: "holders not served while an endpoint was well",
      measured: tally.of("not served"),
      bound: { equals: 0 },
    },
    {
      what: "holders and others sent away with 503 and words",
      measured: tally.of("unavailable"),
      bound: { atLeast: 1 },
    },
    {
      what: "questions to a first endpoint that had fallen far behind",
      measured: place.askedBehind[0],
      bound: { atLeast: 1 },
    },
    {
      what: "questions to a second one far behind while the first flapped",
      measured: place.askedBehind[1],
      bound: { atLeast: 1 },
    },
    { what: "answers of any other kind", measured: tally.of("without words"), bound: { equals: 0 } },
    // Two endpoints, two seconds each, and once more where one seemed to be on another chain.
    { what: "slowest answer", measured: tally.slowestMs() / 1_000, unit: "s", bound: { atMost: 9 } },
    {
      what: "from the mending until all holders are let in, without a restart",
      measured: recoveryMs / 1_000,
      unit: "s",
      bound: { atMost: 12 },
    },
  ];
}

export const chainLying: Scenario = {
  slug: "chain-lying",
  promise:
    "RPC endpoints fail in every way, lag behind, answer from another chain or disagree: nobody enters with a key that is not theirs, nobody is told a wrong no.",
  inTests: 0.1,
  run: (run) => tidily((later) => play({ ...run, later })),
};
