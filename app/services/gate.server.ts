import { admit } from "~/gate/admit.server";
import type { AdmitDependencies, Admission, TokenGrant } from "~/gate/admit.server";
import { gateScopes } from "~/gate/tokens/access-token.schema";
import type { GateScope } from "~/gate/tokens/access-token.schema";
import {
  mintAccessToken,
  reissueAccessToken,
  requireScope,
  verifyAccessToken,
} from "~/gate/tokens/access-token.server";
import type { ReissueAccessTokenOptions } from "~/gate/tokens/access-token.server";
import { identifyCaller } from "~/gate/caller.server";
import type { Caller, CallerRequest, CallerRule } from "~/gate/caller.server";
import { createChainCursorStore } from "~/gate/ownership/chain-cursor.store.server";
import type { TokenStatus } from "~/gate/gate.schema";
import type { IdentifyRequest } from "~/gate/identify.server";
import { issueNonce } from "~/gate/proofs/issue-nonce.server";
import type { Holder } from "~/gate/holder.server";
import { requireHolder } from "~/gate/holder.server";
import { createKeyStore } from "~/gate/keys/keys.store.server";
import type { KeyStore } from "~/gate/keys/keys.store.server";
import type { NonceStore } from "~/gate/proofs/nonces.store.server";
import { findContractFault } from "~/gate/ownership/ownership.gateway.server";
import { createOwnershipReader } from "~/gate/ownership/ownership.server";
import { createSettledHoldings } from "~/gate/ownership/settled-holding.server";
import { createSpentSignatureStore } from "~/gate/proofs/spent-signatures.store.server";
import { submit } from "~/gate/keys/submit.server";
import { createSubmissionStore } from "~/gate/keys/submissions.store.server";
import { loadTokenKeys, publicJwks } from "~/gate/tokens/token-keys.server";
import { readKeyStatus, readTokenStatus } from "~/gate/keys/token-status.server";
import type { KeyStatus } from "~/gate/keys/token-status.server";
import { createTransferWatcher } from "~/gate/ownership/transfer-watcher.server";
import type { TransferWatcher } from "~/gate/ownership/transfer-watcher.server";
import { useKey } from "~/gate/keys/use-key.server";
import { createVerifiedTokens } from "~/gate/tokens/verified-tokens.server";
import { createWatcherAge } from "~/gate/ownership/watcher-age.server";
import type { WatcherAge } from "~/gate/ownership/watcher-age.server";
import { createOriginCheck } from "~/platform/http/domains";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { monotonicClock, systemClock } from "~/platform/clock";
import type { Config } from "~/settings.server";
import type { Database } from "~/platform/database/database.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";
import type { GatedContent } from "~/content/content.schema";
import type { ContentServices } from "./content.server";
import type { OutboxServices } from "./outbox.server";
import { wireSession } from "./session.server";
import type { SessionServices } from "./session.server";

export type GateServices = {
  issueNonce: (request: { clientId: string }) => Promise<string>;
  admit: (request: IdentifyRequest) => Promise<Admission>;
  submit: (request: Omit<Parameters<typeof submit>[0], "dependencies">) => ReturnType<typeof submit>;
  readTokenStatus: (request: { tokenId: unknown }) => Promise<TokenStatus>;
  /** The same with the owner. */
  readKeyStatus: (request: { tokenId: unknown }) => Promise<KeyStatus>;
  /**
   * What lies behind the gate, for somebody whose token was verified; every check of the gate is made again. Links are
   * whole addresses.
   */
  readContentFor: (request: { holder: Holder }) => Promise<GatedContent>;
  /** Asks the chain (`fresh`: even if it was asked a moment ago) and the database. Throws the gate's refusals. */
  requireHolder: (request: { holder: Holder; fresh?: boolean }) => Promise<void>;
  useKey: (request: { holder: Holder }) => ReturnType<typeof useKey>;
  /** Null for a stranger, where the rule has any. Throws the refusals `missing-jwt` and `invalid-jwt`. */
  identifyCaller: (rule: CallerRule, request: CallerRequest) => Promise<Caller | null>;
  isAllowedOrigin: (origin: string) => boolean;
  publicKeys: () => { keys: object[] };
  session: SessionServices;
  /** What is wrong with the key contract, in a sentence; throws when the chain cannot be asked. */
  findContractFault: () => Promise<string | null>;
  watcherStatus: TransferWatcher["status"];
  /** Of all processes on this database; throws when that cannot be asked. */
  judgeWatcherAge: WatcherAge["judge"];
  stop: () => Promise<void>;
};

type WireGateOptions = {
  config: Config;
  domains: readonly string[];
  origin: string;
  database: Database;
  nonces: NonceStore;
  chain: ChainClient;
  content: ContentServices;
  leases: LeaseKeeper;
  outbox: OutboxServices;
  metrics: Metrics;
  log: Log;
};

export async function wireGate({
  config,
  domains,
  origin,
  database,
  nonces,
  chain,
  content,
  leases,
  outbox,
  metrics,
  log,
}: WireGateOptions): Promise<GateServices> {
  const clock = systemClock;
  const { contractAddress, standard, id: chainId } = config.chain;
  const tokens = await wireTokens(config, domains, origin);
  const keys = createKeyStore(database);
  const { ownership, watcher, watcherAge, cursors } = wireOwnership({
    config,
    database,
    chain,
    keys,
    leases,
    metrics,
    log,
  });

  const place = { domains, chainId, contractAddress, clock };
  const admitDependencies: AdmitDependencies = {
    ...place,
    siweEnabled: config.state.enabled,
    // As for PUBLIC_ORIGIN: in production, plain HTTP is for loopback names.
    allowsPlainHttp: config.mode !== "production",
    legacySignatures: config.gate.legacySignatures,
    nonceBinding: config.gate.nonceBinding,
    nonces,
    verifyToken: (token) => tokens.verify({ token, requiredScope: "gate:read" }),
    ownership,
    keys,
    spentSignatures: createSpentSignatureStore(database),
    mintToken: tokens.mint,
    readContent: content.readContent,
    countGrant: metrics.countGrant,
  };
  const useDependencies = {
    ...place,
    ownership,
    keys,
    submissions: createSubmissionStore(database, clock, outbox.store),
    requireSettledHolding: createSettledHoldings({ client: chain, ...config.chain, keys, cursors, clock }),
    wakeOutbox: outbox.sender.wake,
  };
  const submitDependencies = {
    ...useDependencies,
    requireSignedMessage: config.gate.requireSignedMessage,
  };
  const sessionDependencies = {
    ...place,
    ownership,
    keys,
    origin,
    accessTtlSeconds: config.jwt.accessTtlSeconds,
    sessionMaxSeconds: config.jwt.sessionMaxSeconds,
    verifyToken: admitDependencies.verifyToken,
    reissueToken: tokens.reissue,
  };
  const statusDependencies = { chainId, contractAddress, ownership, keys };
  const isAllowedOrigin = createOriginCheck(domains, config.serving.corsOrigins);
  const callerDependencies = {
    ...place,
    ownership,
    keys,
    verifyToken: tokens.verify,
    isAllowedOrigin,
    requiresToken: config.chat.requiresJwt,
  };
  metrics.watchWatcherAge(watcherAge);
  watcher.start();

  return {
    issueNonce: ({ clientId }) => issueNonce(clientId, { siweEnabled: config.state.enabled, nonces }),
    admit: (request) => admit(request, admitDependencies),
    submit: (request) => submit({ ...request, dependencies: submitDependencies }),
    readTokenStatus: ({ tokenId }) => readTokenStatus(tokenId, statusDependencies),
    readKeyStatus: ({ tokenId }) => readKeyStatus(tokenId, statusDependencies),
    readContentFor: async ({ holder }) => {
      await requireHolder(holder, useDependencies);
      return content.readContent({ tokenId: holder.tokenId, mediaOrigin: origin });
    },
    requireHolder: ({ holder, ...freshness }) => requireHolder(holder, useDependencies, freshness),
    useKey: ({ holder }) => useKey(holder, useDependencies),
    identifyCaller: (rule, request) => identifyCaller(rule, request, callerDependencies),
    isAllowedOrigin,
    publicKeys: tokens.publicKeys,
    session: wireSession(sessionDependencies, (request) => admit(request, admitDependencies)),
    findContractFault: () => findContractFault({ client: chain, contractAddress, standard }),
    watcherStatus: watcher.status,
    judgeWatcherAge: watcherAge.judge,
    stop: watcher.stop,
  };
}

type WireOwnershipOptions = Pick<
  WireGateOptions,
  "config" | "database" | "chain" | "leases" | "metrics" | "log"
> & { keys: KeyStore };

/** What the chain says of keys: readings, and the watcher that ends tokens of keys that left. */
function wireOwnership({ config, database, chain, keys, leases, metrics, log }: WireOwnershipOptions) {
  const clock = systemClock;
  const { contractAddress, standard, id: chainId } = config.chain;
  const ownership = createOwnershipReader({
    client: chain,
    contractAddress,
    standard,
    cacheSeconds: config.chain.ownershipCacheSeconds,
    clock,
  });
  const cursors = createChainCursorStore(database);
  const watcherAge = createWatcherAge({
    findCursorAgeMs: () => cursors.findCursorAgeMs({ chainId, contractAddress }),
    pollSeconds: config.chain.pollSeconds,
    leaseSeconds: config.database.leaseSeconds,
    clock: monotonicClock,
  });
  const watcher = createTransferWatcher({
    client: chain,
    contractAddress,
    standard,
    pollSeconds: config.chain.pollSeconds,
    cursor: {
      load: () => cursors.findCursor({ chainId, contractAddress }),
      save: (cursor, hold) => cursors.saveCursor({ chainId, contractAddress }, cursor, hold),
    },
    onDepartures: async ({ departures, hold }) => {
      ownership.forget(new Set(departures.map(({ tokenId }) => tokenId)));
      metrics.countDepartures(departures.length);
      await keys.recordDepartures({ chainId, contractAddress, departures, departedAtMs: clock(), hold });
    },
    onBlock: ownership.noteBlock,
    onReorganisation: () => ownership.forget(),
    lease: leases.of("watcher"),
    log,
    clock,
  });
  return { ownership, watcher, watcherAge, cursors };
}

async function wireTokens(config: Config, domains: readonly string[], origin: string) {
  const { jwt, mode, chain } = config;
  const keys = await loadTokenKeys({ ...jwt, dataDir: config.serving.dataDir, mode });
  const issuer = jwt.issuer ?? origin;
  const audience = jwt.audience ?? [domains[0]!];
  const { clockToleranceSeconds } = jwt;
  const { id: chainId, contractAddress } = chain;
  const expected = { issuer, audience, chainId, contractAddress };
  const verified = createVerifiedTokens({
    verify: (token) =>
      verifyAccessToken({ keys, token, expected, clockToleranceSeconds, clock: systemClock }),
    clockToleranceSeconds,
    clock: systemClock,
  });

  return {
    publicKeys: () => publicJwks(keys),
    verify: async ({ token, requiredScope }: { token: string; requiredScope: GateScope }) => {
      const claims = await verified.read(token);
      requireScope(claims, requiredScope);
      return claims;
    },
    mint: async (grant: TokenGrant) => {
      const { ownedAtMs: issuedAtMs, ...rest } = grant;
      const place = { chainId, contractAddress, issuer, audience };
      const ttlSeconds = jwt.accessTtlSeconds;
      return (await mintAccessToken({ keys, ...rest, ...place, issuedAtMs, ttlSeconds, scopes: gateScopes }))
        .token;
    },
    reissue: (dates: Omit<ReissueAccessTokenOptions, "keys">) => reissueAccessToken({ keys, ...dates }),
  };
}
