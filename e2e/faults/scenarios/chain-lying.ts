import { setTimeout as delay } from "node:timers/promises";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { startServer } from "~e2e/support/running-server";
import { clientOf } from "~e2e/api/gate-fixture";
import type { Answer } from "~e2e/api/gate-fixture";
import { limitsOff } from "~e2e/support/limits";
import { mend, phases } from "./chain-phases";
import type { Phase, Site } from "./chain-phases";
import { createRandom } from "../random";
import type { Figure, Scenario, ScenarioRun } from "../scenario";
import { measuredOnly } from "../server-measures";
import { createTally, keepBusy } from "../tally";
import type { Tally } from "../tally";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";
import { startTwoChains } from "./two-chains";
import type { Claimant } from "./two-chains";

const phaseMs = 5_000;
const leastPhaseMs = 1_500;

type SignIn = (claim: Claimant["claim"]) => Promise<Answer>;

type JudgeOptions = {
  answer: Answer;
  claimant: Claimant;
  phase: Phase;
  tally: Tally;
};

/** Classifies a response by its meaning for the claimant. */
function judge({
  answer,
  claimant: { isOwner, isDisputed },
  phase: { isServed, isMisled = false },
  tally,
}: JudgeOptions): void {
  const { status, body, headers } = answer;
  const isSaid = typeof body.detail === "string" && body.detail.length > 0;
  // The first endpoint that answers is trusted, so operators list the most trusted one first.
  const wrong = (end: string) => (isMisled && isDisputed ? `${end} on a false word` : `wrongly ${end}`);
  if (status === 503 && isSaid && Number(headers.get("retry-after")) > 0) {
    tally.count(isOwner && isServed ? "not served" : "unavailable");
  } else if (status === 200) tally.count(isOwner ? "let in" : wrong("let in"));
  else if (status === 403) tally.count(isOwner ? wrong("refused") : "refused");
  else tally.count("without words");
}

type PhaseEnd = {
  recoveryMs: number;
  /** How long the second endpoint was still trusted after the first recovered. Null: not measured. */
  misledMs: number | null;
};

type PlayPhaseOptions = {
  phase: Phase;
  site: Site;
  scale: number;
  tally: Tally;
};

async function playPhase({ phase, site, scale, tally }: PlayPhaseOptions): Promise<PhaseEnd> {
  const { chains, endpoints } = site;
  const { claimants } = chains;
  mend(site);
  const server = await startServer({
    env: {
      ...limitsOff,
      RPC_URL: endpoints.map(({ url }) => url).join(","),
      KEY_CONTRACT_ADDRESS: chains.contract,
      OWNERSHIP_CACHE_SECONDS: "0",
      CHAIN_POLL_SECONDS: "1",
      // Each claim comes from its own address.
      TRUST_PROXY: "loopback",
    },
  });
  try {
    const { signIn } = clientOf(server);
    // The server must see a recent block first. Otherwise it can't recognize an old one.
    await measureRecovery(signIn, claimants);
    const overAtMs = performance.now() + Math.max(leastPhaseMs, phaseMs * scale);
    const isOver = () => performance.now() >= overAtMs;
    const playing = (async () => {
      while (!isOver()) await phase.play(site);
    })();
    await keepBusy(claimants.length, isOver, async (worker) => {
      const claimant = claimants[worker]!;
      const answer = await tally.time(() => signIn(claimant.claim));
      judge({ answer, claimant, phase, tally });
    });
    await playing;
    let misledMs: number | null = null;
    // Up to the ten seconds for which a failed endpoint is skipped: too long for the small measure.
    if (phase.isHalfMended && scale >= 1) {
      endpoints[0].setFault("none");
      // As before, but neither requests nor responses count any more.
      endpoints[1].setUpstream(chains.rpcUrls.recent);
      misledMs = await measureRecovery(signIn, claimants);
    }
    mend(site);
    return { recoveryMs: await measureRecovery(signIn, claimants), misledMs };
  } finally {
    await server.stop();
  }
}

/** The seconds until every holder is admitted again, and nobody else. Infinite after a minute. */
async function measureRecovery(signIn: SignIn, claimants: readonly Claimant[]): Promise<number> {
  const mendedAtMs = performance.now();
  const elapsedMs = () => performance.now() - mendedAtMs;
  const isRight = async ({ claim, isOwner }: Claimant) =>
    (await signIn(claim)).status === (isOwner ? 200 : 403);
  while (elapsedMs() < 60_000) {
    if ((await Promise.all(claimants.map(isRight))).every(Boolean)) return elapsedMs();
    await delay(100);
  }
  return Infinity;
}

async function startEndpoint(later: Later, upstreamUrl: string) {
  const endpoint = await startRpcFaultServer(upstreamUrl);
  later(() => endpoint.stop());
  return endpoint;
}

async function play({ scale, seed, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const chains = await startTwoChains(later);
  const { honest: upstreamUrl } = chains.rpcUrls;
  const site: Site = {
    chains,
    dice: createRandom(seed),
    asked: { past: [0, 0], recent: [0, 0] },
    endpoints: [await startEndpoint(later, upstreamUrl), await startEndpoint(later, upstreamUrl)],
  };
  const tally = createTally();
  let recoveryMs = 0;
  let misledMs: number | null = null;
  for (const phase of phases) {
    const ended = await playPhase({ phase, site, scale, tally });
    recoveryMs = Math.max(recoveryMs, ended.recoveryMs);
    misledMs = ended.misledMs ?? misledMs;
    say(`${phase.name}: ${tally.say()}`);
  }
  return toFigures({ tally, asked: site.asked, recoveryMs, misledMs });
}

function toFigures({
  tally,
  asked: { past, recent },
  recoveryMs,
  misledMs,
}: { tally: Tally; asked: Site["asked"] } & PhaseEnd): Figure[] {
  const none = (what: string, kind: string): Figure => ({
    what,
    measured: tally.of(kind),
    bound: { equals: 0 },
  });
  const some = (what: string, measured: number): Figure => ({ what, measured, bound: { atLeast: 1 } });
  const seconds = (what: string, ms: number | null, atMost: number) => ({
    what,
    measured: ms === null ? null : ms / 1_000,
    unit: "s",
    bound: { atMost },
  });
  const recentlyAsked = recent[0] + recent[1];
  const [misledIn, misledOut] = [tally.of("let in on a false word"), tally.of("refused on a false word")];
  return measuredOnly([
    { what: "sign-ins judged", measured: tally.total(), bound: { atLeast: 50 } },
    none("let in, though the first recent endpoint to answer said no", "wrongly let in"),
    none("holders told no, though the first recent endpoint to answer said yes", "wrongly refused"),
    none("holders not served while an endpoint was well", "not served"),
    some("holders and others sent away with 503 and words", tally.of("unavailable")),
    some("questions to a first endpoint that had fallen far behind", past[0]),
    some("questions to a second one far behind while the first flapped", past[1]),
    some("questions to a first endpoint that lied of a recent block", recent[0]),
    some("questions to a second one that did while the first flapped", recent[1]),
    // No false reading is cached, so each misleads one client. Requests about the same key in the same tick share it.
    {
      what: "let in on its false word: a limit, no more than it was asked",
      measured: misledIn,
      bound: { atMost: recentlyAsked },
    },
    {
      what: "holders told no on its false word: no more than it was asked either",
      measured: misledOut,
      bound: { atMost: recentlyAsked },
    },
    // A failed endpoint is skipped for ten seconds.
    seconds("from the first one's mending until a second that lies is not believed", misledMs, 12),
    none("answers of any other kind", "without words"),
    // Two endpoints, two seconds each, and a retry if one seemed to be on another chain.
    seconds("slowest answer", tally.slowestMs(), 9),
    seconds("from the mending until holders, and they alone, are let in", recoveryMs, 12),
  ]);
}

export const chainLying: Scenario = {
  slug: "chain-lying",
  promise:
    "RPC endpoints that fail, lag, contradict each other or are on another chain admit nobody without a key and turn no holder away, unless the first endpoint that answers says so of a recent block.",
  inTests: false,
  run: (run) => withCleanup((later) => play({ ...run, later })),
};
