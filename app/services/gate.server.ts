import { admit, readContentFor } from "~/gate/admit.server";
import type { AdmitDependencies, TokenGrant } from "~/gate/admit.server";
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
import type { CallerRequest } from "~/gate/caller.server";
import type { CallerRule } from "~/gate/tokens/token-placement.openapi";
import { createChainCursorStore } from "~/gate/ownership/chain-cursor.store.server";
import { issueNonce } from "~/gate/proofs/issue-nonce.server";
import type { Claimant, ProofDependencies, ProofRequest } from "~/gate/proofs/proof.server";
import { identify } from "~/gate/proofs/proofs.server";
import type { Holder } from "~/gate/holder.server";
import { requireHolder } from "~/gate/holder.server";
import { createKeyStore } from "~/gate/keys/keys.store.server";
import type { KeyStore } from "~/gate/keys/keys.store.server";
import { findContractFault } from "~/gate/ownership/ownership.gateway.server";
import { createOwnershipReader } from "~/gate/ownership/ownership.server";
import { createSettledHoldings } from "~/gate/ownership/settled-holding.server";
import { createSpentSignatureStore } from "~/gate/proofs/spent-signatures.store.server";
import { submit } from "~/gate/keys/submit.server";
import type { SubmitRequest } from "~/gate/keys/submit.server";
import { createSubmissionStore } from "~/gate/keys/submissions.store.server";
import { loadTokenKeys, publicJwks } from "~/gate/tokens/token-keys.server";
import { readKeyStatus, readTokenStatus } from "~/gate/keys/token-status.server";
import { createTransferWatcher, watcherLease } from "~/gate/ownership/transfer-watcher.server";
import { useKey } from "~/gate/keys/use-key.server";
import { createVerifiedTokens } from "~/gate/tokens/verified-tokens.server";
import { createWatcherAge } from "~/gate/ownership/watcher-age.server";
import { createOriginCheck } from "~/platform/http/domains";
import { monotonicClock, systemClock } from "~/platform/clock";
import type { Config } from "~/settings.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { ContentServices } from "./content.server";
import type { Foundation } from "./foundation.server";
import type { OutboxServices } from "./outbox.server";
import { wireSession } from "./session.server";

export type GateServices = Awaited<ReturnType<typeof wireGate>>;

type GateNeeds = { content: ContentServices; leases: LeaseKeeper; outbox: OutboxServices };
type TokenQuestion = { tokenId: unknown };
type HolderQuestion = { holder: Holder };

export async function wireGate(foundation: Foundation, { content, leases, outbox }: GateNeeds) {
  const { config, domains, origin, database, state, chain, metrics } = foundation;
  const clock = systemClock;
  const { contractAddress, standard, id: chainId } = config.chain;
  const tokens = await wireTokens(config, domains, origin);
  const keys = createKeyStore(database);
  const { ownership, watcher, watcherAge, cursors } = wireOwnership(foundation, keys, leases);
  const { nonces } = state;
  const siweEnabled = config.state.enabled;
  const shared = { domains, chainId, contractAddress, clock, ownership, keys };
  const admitDependencies: ProofDependencies & AdmitDependencies = {
    ...shared,
    siweEnabled,
    ...config.gate,
    nonces,
    verifyToken: tokens.verify,
    spentSignatures: createSpentSignatureStore(database),
    mintToken: tokens.mint,
    readContent: content.readContent,
    countGrant: metrics.countGrant,
  };
  const useDependencies = {
    ...shared,
    standard,
    submissions: createSubmissionStore(database, clock, outbox.store),
    requireSettledHolding: createSettledHoldings({ client: chain, ...config.chain, keys, cursors, clock }),
    wakeOutbox: outbox.sender.wake,
    requireSignedMessage: config.gate.requireSignedMessage,
  };
  const sessionDependencies = {
    ...admitDependencies,
    origin,
    accessTtlSeconds: config.jwt.accessTtlSeconds,
    sessionMaxSeconds: config.jwt.sessionMaxSeconds,
    reissueToken: tokens.reissue,
  };
  const isAllowedOrigin = createOriginCheck(domains, config.serving.corsOrigins);
  const callerDependencies = {
    ...shared,
    verifyToken: tokens.verify,
    isAllowedOrigin,
    requiresToken: config.chat.requiresJwt,
  };
  metrics.observeWatcherAge(watcherAge);
  watcher.start();
  return {
    issueNonce: ({ clientId }: { clientId: string }) => issueNonce(clientId, { siweEnabled, nonces }),
    /** Who asks; throws the refusal of what proves nothing. */
    identify: (request: ProofRequest) => identify(request, admitDependencies),
    admit: (claimant: Claimant) => admit(claimant, admitDependencies),
    submit: (request: SubmitRequest) => submit(request, useDependencies),
    readTokenStatus: ({ tokenId }: TokenQuestion) => readTokenStatus(tokenId, shared),
    /** The same with the owner. */
    readKeyStatus: ({ tokenId }: TokenQuestion) => readKeyStatus(tokenId, shared),
    readContentFor: ({ holder }: HolderQuestion) =>
      readContentFor(holder, { ...shared, origin, readContent: content.readContent }),
    /** Asks the chain (`fresh`: even if it was asked a moment ago) and the database. Throws the gate's refusals. */
    requireHolder: ({ holder, fresh }: HolderQuestion & { fresh?: boolean }) =>
      requireHolder(holder, shared, { fresh }),
    useKey: ({ holder }: HolderQuestion) => useKey(holder, useDependencies),
    /** Null for a stranger, where the rule has any. Throws the refusals `missing-jwt` and `invalid-jwt`. */
    identifyCaller: (rule: CallerRule, request: CallerRequest) =>
      identifyCaller(rule, request, callerDependencies),
    isAllowedOrigin,
    publicKeys: tokens.publicKeys,
    session: wireSession(sessionDependencies),
    /** What is wrong with the key contract, in a sentence; throws when the chain cannot be asked. */
    findContractFault: () => findContractFault({ client: chain, contractAddress, standard }),
    watcherStatus: watcher.status,
    /** Of all processes on this database; throws when that cannot be asked. */
    judgeWatcherAge: watcherAge.judge,
    stop: watcher.stop,
  };
}

/** What the chain says of keys: readings, and the watcher that ends tokens of keys that left. */
function wireOwnership(foundation: Foundation, keys: KeyStore, leases: LeaseKeeper) {
  const { config, database, chain, metrics, log } = foundation;
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
    lease: leases.add(watcherLease),
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
      const ttlSeconds = jwt.accessTtlSeconds;
      const minted = { keys, ...rest, ...expected, issuedAtMs, ttlSeconds, scopes: gateScopes };
      return (await mintAccessToken(minted)).token;
    },
    reissue: (dates: Omit<ReissueAccessTokenOptions, "keys">) => reissueAccessToken({ keys, ...dates }),
  };
}
