import { createChat } from "~/chat/create-chat.server";
import { createContent } from "~/content/create-content.server";
import { createDemo } from "~/demo/demo-chain.gateway.server";
import type { DemoChain } from "~/demo/demo-chain.gateway.server";
import { createDoor } from "~/door/create-door.server";
import { createGate } from "~/gate/create-gate.server";
import { keyEmails } from "~/gate/form/key-notifications";
import { createAddressListRefresher } from "~/gate/kinds/file/address-list.server";
import { toKeyList } from "~/gate/kinds/key-list";
import { firstKind, omitOpenings } from "~/gate/kinds/kind";
import { createOperator } from "~/operator/create-operator.server";
import { createOperatorSweep, operatorRetention } from "~/operator/sweep.store.server";
import { createPayments } from "~/payments/create-payments.server";
import { paymentEmails } from "~/payments/payment-notifications.server";
import { getChainClient } from "~/platform/chain/chain-clients.server";
import { closeDatabase } from "~/platform/database/database.server";
import { Refusal } from "~/platform/refusals/refusal";
import { createStaticResponse } from "~/platform/http/responses.server";
import { createReadiness } from "~/platform/instance/readiness.server";
import type { Log } from "~/platform/log/log.server";
import { createOutbox } from "~/platform/outbox/create-outbox.server";
import { createSweepStore } from "~/platform/sweep/sweep.store.server";
import { createSweeper } from "~/platform/sweep/sweeper.server";
import { systemClock } from "~/platform/time/clock";
import { createQuota } from "~/quota/create-quota.server";
import { createSearch } from "~/search/create-search.server";
import { openFoundation } from "~/services/foundation.server";
import type { Foundation } from "~/services/foundation.server";
import { hideSecrets, listChecks } from "~/services/readiness-checks.server";
import { createServiceContext, openMetricsPort } from "~/services/serving.server";
import type { Config } from "~/settings.server";
import { createSpeech } from "~/speech/create-speech.server";
import { createTools } from "~/tools/create-tools.server";

export type Services = Awaited<ReturnType<typeof createServices>>;

const sweepIntervalSeconds = 60;
const keyListMaxAgeSeconds = 60;
let running: Services | undefined;

/** Routes call this per request, never when they are loaded. */
export function getServices(): Services {
  if (!running) throw new Error("The services have not been started.");
  return running;
}

/** Outside the demo these addresses don't exist. */
export function requireDemo(): DemoChain {
  const { demo } = getServices();
  if (!demo) throw new Refusal("not-found");
  return demo;
}

/** Without OPERATOR_SECRET these addresses don't exist. */
export function requireOperatorService(): NonNullable<Services["operator"]> {
  const { operator } = getServices();
  if (!operator) throw new Refusal("not-found", { detail: "The operator's view is switched off here." });
  return operator;
}

/** If replies aren't kept, their addresses don't exist. */
export function requireResumable(): NonNullable<Services["chat"]["resumable"]> {
  const { resumable } = getServices().chat;
  if (!resumable) throw new Refusal("not-found");
  return resumable;
}

type StartServicesOptions = { config: Config; port: number; log: Log; buildVersion: string };

/** The only place that knows every feature. Migrates, connects and starts background work. `stop` ends all of it. */
export async function startServices(options: StartServicesOptions): Promise<Services> {
  const { config, port, log, buildVersion } = options;
  return (running = await createServices(await openFoundation(config, port, log), buildVersion));
}

/** `buildVersion` changes if a build changes what browsers get. */
async function createServices(foundation: Foundation, buildVersion: string) {
  const { config, site, brand, database, redis, chains, metrics, recording, leases, log } = foundation;
  const entrance = await createEntrance(foundation);
  const offers = await createOffers(foundation, entrance);
  const { content, outbox, gate, door } = entrance;
  const { quota, search, payments, tools, chat, speech } = offers;
  const sweeper = startSweeper(foundation);
  const publicKinds = omitOpenings(config.keys, [
    ...(config.chat.isOn ? [] : (["chat"] as const)),
    ...(config.tools.mcpPath === null ? (["tools"] as const) : []),
  ]);
  const addressLists = createAddressListRefresher({ lists: config.addressLists, log });
  addressLists.start();
  outbox.start();
  await leases.start();
  const checks = listChecks({ database, redis, clients: chains, gate, chat, speech });
  const readReadiness = createReadiness(checks, systemClock);
  const operator = createOperator({
    ...entrance,
    ...offers,
    readReadiness,
    settings: config.operator,
    kinds: config.keys.list,
    limits: config.limits,
    quotas: { token: config.quota.tokens, speech: config.speech.quotaCharacters },
    switches: config.switches,
    listOpenWindows: foundation.state.quotaWindows.listOpenWindows,
    database,
    redis,
    chains,
    recording,
    log,
  });
  // Last: connections may be waiting for it.
  const metricsServer = await openMetricsPort(foundation);
  return {
    config,
    origin: site.origin,
    context: createServiceContext(foundation),
    brand,
    buildVersion,
    gate,
    door,
    publicKinds,
    answerKeyList: createStaticResponse(
      JSON.stringify(toKeyList(publicKinds)),
      "application/json; charset=utf-8",
      keyListMaxAgeSeconds,
    ),
    content,
    quota,
    chat,
    tools,
    speech,
    demo: config.mode === "demo" ? createDemo({ chains: config.chains, kinds: config.keys }) : null,
    metrics,
    /** Without secrets, which only the operator's view has. */
    readReadiness: async () => hideSecrets(await readReadiness(), config.keys.list),
    operator,
    /** Ends the session and its replies. Returns the header that deletes the cookie. */
    signOut: async ({ cookie }: { cookie: string | undefined }) => {
      const { claims, headers } = await gate.session.signOut({ cookie });
      if (claims) await chat.resumable?.stopSession(claims);
      return headers;
    },
    stop: async () => {
      metricsServer?.close();
      // A running reply may need any of the others.
      await Promise.all([chat.stop(), outbox.stop()]);
      await payments?.stop();
      const others = [gate, search, speech, sweeper, addressLists];
      await Promise.all(others.map((each) => each.stop()));
      // The others settle their reservations first.
      await quota.stop();
      await recording.stop();
      await leases.stop();
      await Promise.all([closeDatabase(database), redis?.close(), foundation.instruments.stop()]);
    },
  };
}

async function createEntrance(foundation: Foundation) {
  const { config, site, database, instance, state, chains, leases, metrics, keyMetrics, log } = foundation;
  const { jwt, doorSites: sites, chain: chainSettings } = config;
  const { contentDir, dataDir } = config.serving;
  const shared = { database, instance, metrics, log };
  const content = await createContent({ contentDir, dataDir, jwt, log });
  const renderers = { ...keyEmails, ...paymentEmails };
  const outbox = createOutbox({ ...shared, settings: config.notifications, renderers });
  const gate = await createGate({
    ...shared,
    ...site,
    settings: config.gate,
    mode: config.mode,
    kinds: config.keys,
    keyChains: config.chains,
    chainSettings,
    chains,
    jwt,
    dataDir,
    isStateActive: config.state.enabled,
    requiresToken: config.chat.requiresJwt,
    hasSites: sites.length > 0,
    readContent: content.readContent,
    outbox,
    leases,
    leaseSeconds: config.database.leaseSeconds,
    nonces: state.nonces,
    keyMetrics,
  });
  const { openLimiter } = foundation;
  const door = createDoor({
    ...site,
    sites,
    chainSettings,
    jwt,
    gate,
    codes: state.doorCodes,
    openLimiter,
    metrics,
  });
  return { content, outbox, gate, door };
}

type Entrance = Awaited<ReturnType<typeof createEntrance>>;

/** Features that holders use. */
async function createOffers(foundation: Foundation, { gate, outbox }: Entrance) {
  const { config, site, database, instance, state, leases, recording, metrics, log } = foundation;
  const { keys: kinds } = config;
  const { contentDir, dataDir } = config.serving;
  const { leaseSeconds } = config.database;
  const shared = { database, instance, metrics, log };
  const instrument = foundation.instruments.provider;
  const quota = await createQuota({
    ...shared,
    settings: config.quota,
    chat: config.chat,
    isStateActive: config.state.enabled,
    kinds,
    store: state.quota,
    windows: state.quotaWindows,
    findUsages: state.keptAnswers.findUsages,
    heartbeatTimeoutSeconds: leaseSeconds,
  });
  const search = createSearch({ settings: config.search, contentDir, dataDir, instrument, log });
  const client = getChainClient(foundation.chains, firstKind(kinds).chainId);
  const payments = createPayments({ ...shared, settings: config.payments, client, gate, leases, outbox });
  const tools = createTools({ ...shared, settings: config.tools, kinds, site, gate, search, payments });
  const chat = createChat({
    ...shared,
    settings: config.chat,
    contentDir,
    leaseSeconds,
    keptAnswers: state.keptAnswers,
    quota,
    tools,
    instrument,
    recording,
  });
  const speech = await createSpeech({
    ...shared,
    settings: config.speech,
    chat: config.chat,
    dataDir,
    quota,
    instrument,
  });
  return { quota, search, payments, tools, chat, speech };
}

function startSweeper({ config, database, log }: Foundation) {
  const store = createSweepStore(database);
  const operatorStore = createOperatorSweep({
    database,
    retention: { ...operatorRetention, ...config.operator },
  });
  const sweeper = createSweeper({
    store: {
      deleteBatch: async (request) =>
        Math.max(await store.deleteBatch(request), await operatorStore.deleteBatch(request)),
    },
    clock: systemClock,
    intervalSeconds: sweepIntervalSeconds,
    onFailure: (error) => log.warn({ err: error }, "sweep failed; retrying in a minute"),
  });
  sweeper.start();
  return sweeper;
}
