import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startTestChain } from "~e2e/support/chain/chain";
import { limitsOff } from "~e2e/support/limits";
import { startServer } from "~e2e/support/running-server";
import { grantKeys, keySeries, mintKeys } from "./bench-keys";
import { openPeers } from "./bench-peers";
import type { NewTarget, RealAnswers } from "./bench-peers";
import { startCountingProxy } from "./counting-proxy";
import { otherCheckoutSide, ownSide } from "./figures";
import { metricsToken, operatorForms, readFixedAnswers, sessionCookie } from "./fixed-answers";
import type { Load, LoadResult } from "./load-generator";
import { originOf } from "./costs/operation";
import type { PrepareCall, Side, Target } from "./costs/operation";
import { resetSecret, spokenText } from "./costs/operations";
import type { ModelAnswer, ModelOrder } from "./scale/model-process";
import { prepareForms, readAnswer, signInOnce } from "./sign-in";
import { startWorkerProcess } from "./worker-process";
import { signInAsOperator } from "~e2e/support/operator-session";

const operatorSecret = randomBytes(24).toString("hex");

export type BenchSite = Awaited<ReturnType<typeof openBenchSite>>;

/** Longer than any run, and short enough for a renewal to be one. */
const accessTtlSeconds = 7200;
/** Enough for the forms of one run, at the side that takes most of them. */
const unusedKeys = { firstTokenId: 1_000_000, count: 12_000 };

/** Limits would end the run; the watcher's polls would be counted with the requests' own calls to the chain. */
export const benchSettings = {
  ...limitsOff,
  CHAIN_POLL_SECONDS: "300",
};

/** Chat and speech are counted, and have enough for the whole run. */
const inForce = {
  NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
  AI_CHAT_QUOTA_TOKENS: "1000000000",
  TTS_QUOTA_CHARACTERS: "100000000",
  JWT_ACCESS_TTL: String(accessTtlSeconds),
  AI_QUOTA_RESET_SECRET: resetSecret,
  METRICS_TOKEN: metricsToken,
  OPERATOR_SECRET: operatorSecret,
};

type BenchSiteOptions = { nodeOptions: readonly string[]; beside: string | null };

/** Everything a run needs, each part a process of its own, on loopback, with data that is removed afterwards. */
export async function openBenchSite({ nodeOptions, beside }: BenchSiteOptions) {
  const closers: (() => Promise<unknown>)[] = [];
  async function close(): Promise<void> {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  }
  try {
    const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-bench-"));
    closers.push(() => rm(dir, { recursive: true, force: true }));
    const chain = await startTestChain();
    closers.push(chain.stop);
    const holders = await mintKeys(chain);
    await grantKeys({ chain, ...unusedKeys });
    const proxy = await startCountingProxy(chain.rpcUrl);
    closers.push(proxy.stop);

    const contractAddress = chain.key.address;
    const chainSettings = { RPC_URL: proxy.url, KEY_CONTRACT_ADDRESS: contractAddress };
    const modelUrl = await startModel(closers);
    const env = {
      ...chainSettings,
      NODE_ENV: "production",
      ...benchSettings,
      ...inForce,
      AI_PROVIDER: "local",
      AI_BASE_URL: modelUrl,
    };
    const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
    closers.push(generator.stop);
    const generateLoad = generator.ask;

    const newTarget: NewTarget = (port, changes = {}) => ({
      port,
      chainId: chain.chainId,
      accessToken: "",
      operatorCookie: "",
      holders,
      needsSignatures: true,
      takeUnusedKeys: keySeries(unusedKeys),
      ...changes,
    });
    async function openOwn(projectDir: string, options: readonly string[]) {
      const server = await startServer({ env, nodeOptions: options, projectDir });
      closers.push(server.stop);
      const visitor = newTarget(server.port, {
        operatorCookie: await signInAsOperator({ ...server, secret: operatorSecret }),
      });
      await sendForms({ target: visitor, generateLoad });
      const answers = await readRealAnswers(visitor);
      const target = { ...visitor, accessToken: answers.accessToken };
      return { answers, side: { target, pid: server.pid, countRpcCalls: proxy.countCalls } };
    }
    const { answers, side } = await openOwn(".", nodeOptions);
    const sides = new Map<string, Side>([
      [ownSide, side],
      ...(await openPeers({ dir, chain, proxy, holders, answers, modelUrl, newTarget, closers })),
    ]);
    if (beside !== null) sides.set(otherCheckoutSide, (await openOwn(beside, [])).side);
    return {
      getSide(name: string): Side {
        const side = sides.get(name);
        if (side === undefined) throw new Error(`Nobody here is called ${name}.`);
        return side;
      },
      generateLoad,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startModel(closers: (() => Promise<unknown>)[]): Promise<string> {
  const model = startWorkerProcess<ModelOrder, ModelAnswer>("scale/model-process.ts");
  closers.push(model.stop);
  const started = await model.ask({ order: "start" });
  if (!("baseUrl" in started)) throw new Error("The model did not start.");
  return started.baseUrl;
}

/** What the operator's table and file then hold. */
async function sendForms({ target, generateLoad }: Pick<PrepareCall, "target" | "generateLoad">) {
  const prepared = await prepareForms({ target, requests: operatorForms, generateLoad });
  await generateLoad({ port: target.port, ...prepared, connections: 4, maxSeconds: 30 });
}

/** What the real server answers, for those who are to send the same bytes. */
async function readRealAnswers(target: Target): Promise<RealAnswers> {
  const origin = originOf(target);
  const { text: signIn, answer } = await signInOnce(target);
  const headers = { Authorization: `Bearer ${answer.accessToken}` };
  const bearer = await readAnswer(await fetch(`${origin}/api/gate-access`, { method: "POST", headers }));
  const cookie = sessionCookie(answer.accessToken);
  const session = await readAnswer(await fetch(`${origin}/session`, { headers: cookie }));
  const fixed = await readFixedAnswers({
    origin,
    accessToken: answer.accessToken,
    operatorCookie: target.operatorCookie,
  });
  const spoken = await fetch(`${origin}/api/tts`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ text: spokenText }),
  });
  if (spoken.status !== 200) throw new Error(`Speech answered ${spoken.status}: ${await spoken.text()}`);
  const speech = Buffer.from(await spoken.arrayBuffer());
  return { accessToken: answer.accessToken, bodies: { signIn, bearer, session }, fixed, speech };
}
