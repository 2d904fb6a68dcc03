import { createDemoChain } from "~/demo/demo-chain.gateway.server";
import type { DemoChain } from "~/demo/demo-chain.gateway.server";
import { createAddressListRefresher } from "./gate/kinds/file/address-list-refresher.server";
import { firstKind, omitOpenings } from "~/gate/kinds/kind-of-key";
import { toKeyList } from "~/gate/kinds/key-list";
import { systemClock } from "~/platform/time/clock";
import { listLeaves } from "~/gate/kinds/requirement-leaves";
import { closeDatabase } from "~/platform/database/database.server";
import { createSweepStore } from "~/platform/sweep/sweep.store.server";
import { Refusal } from "~/platform/http/refusal";
import { createStaticAnswer } from "~/platform/http/static-answer.server";
import type { Log } from "~/platform/log/log.server";
import { createReadiness } from "~/platform/instance/readiness.server";
import { createSweeper } from "~/platform/sweep/sweeper.server";
import type { Config } from "~/settings.server";
import { wireChat } from "~/chat/create-chat.server";
import { wireContent } from "~/content/create-content.server";
import { openFoundation } from "~/services/foundation.server";
import type { Foundation } from "~/services/foundation.server";
import { wireGate } from "~/gate/create-gate.server";
import { wireLeases } from "~/services/leases.server";
import { withOperatorSweep, wireOperator } from "~/operator/create-operator.server";
import type { OperatorServices } from "~/operator/create-operator.server";
import { wireOutbox } from "~/platform/outbox/create-outbox.server";
import { wirePayments } from "~/payments/create-payments.server";
import { wireQuota } from "~/quota/create-quota.server";
import { hideSecrets, listChecks } from "~/services/readiness-checks.server";
import { wireSearch } from "~/search/create-search.server";
import { createServiceContext, openMetricsPort } from "~/services/serving.server";
import { wireSpeech } from "~/speech/create-speech.server";
import { wireTools } from "~/tools/create-tools.server";

export type Services = Awaited<ReturnType<typeof wireServices>>;

const sweepIntervalSeconds = 60;
const keyListMaxAgeSeconds = 60;
let running: Services | undefined;

/** The running service. Routes ask for it when they are called, never when they are loaded. */
export function getServices(): Services {
  if (!running) throw new Error("The services have not been started.");
  return running;
}

/** Part of the demo only; elsewhere these addresses do not exist. */
export function requireDemo(): DemoChain {
  const { demo } = getServices();
  if (!demo) throw new Refusal("not-found");
  return demo;
}

/** As for the demo: where no secret is set for the operator's view, its addresses do not exist. */
export function requireOperatorService(): NonNullable<OperatorServices> {
  const { operator } = getServices();
  if (!operator) throw new Refusal("not-found", { detail: "The operator's view is switched off here." });
  return operator;
}

/** Where answers are not kept, their addresses do not exist. */
export function requireResumable(): NonNullable<Services["chat"]["resumable"]> {
  const { resumable } = getServices().chat;
  if (!resumable) throw new Refusal("not-found");
  return resumable;
}

type StartServicesOptions = { config: Config; port: number; log: Log; buildVersion: string };

/**
 * The only place where configuration becomes gateways, stores and use-cases. Migrates, connects and starts what
 * runs beside the requests; `stop` ends all of it.
 */
export async function startServices(options: StartServicesOptions): Promise<Services> {
  const { config, port, log, buildVersion } = options;
  return (running = await wireServices(await openFoundation(config, port, log), buildVersion));
}

/** `buildVersion` changes with every build that changes what browsers get. */
async function wireServices(foundation: Foundation, buildVersion: string) {
  const { config, origin, brand, database, redis, metrics, instruments, recording } = foundation;
  const content = await wireContent(foundation);
  const leases = wireLeases(foundation);
  const outbox = wireOutbox(foundation);
  const gate = await wireGate(foundation, { content, leases, outbox });
  const quota = await wireQuota(foundation);
  const search = wireSearch(foundation, gate);
  const payments = wirePayments(foundation, { gate, outbox, leases });
  const tools = wireTools(foundation, { gate, search, payments });
  const chat = wireChat(foundation, quota, tools);
  const speech = await wireSpeech(foundation, quota);
  const sweeper = startSweeper(foundation);
  const publicKinds = omitOpenings(config.keys, [
    ...(config.chat.isOn ? [] : (["chat"] as const)),
    ...(config.tools.mcpPath === null ? (["tools"] as const) : []),
  ]);
  const addressLists = createAddressListRefresher({ lists: config.addressLists, log: foundation.log });
  addressLists.start();
  outbox.sender.start();
  await leases.start();
  const readReadiness = createReadiness(
    listChecks({ database, redis, clients: foundation.chains, gate, chat, speech }),
    systemClock,
  );
  const operator = wireOperator(foundation, { gate, outbox, quota, search, payments, readReadiness });
  // Last: connections may be waiting for it.
  const metricsServer = await openMetricsPort(foundation);
  return {
    config,
    origin,
    context: createServiceContext(foundation),
    brand,
    buildVersion,
    gate,
    publicKinds,
    /** The same as long as the process runs: the file is read at the start. */
    answerKeyList: createStaticAnswer(
      JSON.stringify(toKeyList(publicKinds)),
      "application/json; charset=utf-8",
      keyListMaxAgeSeconds,
    ),
    content,
    quota,
    chat,
    tools,
    speech,
    demo: config.mode === "demo" ? wireDemo(config) : null,
    metrics,
    /** As everybody may read it; the operator's view has the whole. */
    readReadiness: async () => hideSecrets(await readReadiness(), config.keys.list),
    operator,
    stop: async () => {
      metricsServer?.close();
      // Until an answer has ended, it may need any of the others.
      await Promise.all([chat.stop(), outbox.sender.stop()]);
      await payments?.stop();
      const others = [gate, search, speech, sweeper, addressLists];
      await Promise.all(others.map((each) => each.stop()));
      // After those that settle what they had reserved.
      await quota.stop();
      await recording.stop();
      await leases.stop();
      await Promise.all([closeDatabase(database), redis?.close(), instruments.stop()]);
    },
  };
}

/** Its chain is the first kind's; it gives away the tokens that its keys ask for. */
function wireDemo({ chains, keys }: Config): DemoChain {
  const { chainId } = firstKind(keys);
  const leaves = keys.list.flatMap(({ requirement }) => (requirement ? listLeaves(requirement) : []));
  const coins = leaves.flatMap((leaf) =>
    leaf.type === "erc20" && leaf.chainId === chainId && !leaf.isSecret ? [leaf.contract] : [],
  );
  const rpcUrl = chains.find(({ id }) => id === chainId)!.rpcUrls[0]!;
  return createDemoChain({ rpcUrl, coins });
}

function startSweeper({ config, database, log }: Foundation) {
  const sweeper = createSweeper({
    store: withOperatorSweep(createSweepStore(database), config, database),
    clock: systemClock,
    intervalSeconds: sweepIntervalSeconds,
    onFailure: (error) => log.warn({ err: error }, "sweep failed; retrying in a minute"),
  });
  sweeper.start();
  return sweeper;
}
