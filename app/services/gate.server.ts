import { admit, readContentFor } from "~/gate/admit.server";
import type { AdmitDependencies, TokenGrant } from "~/gate/admit.server";
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
import { createJudge } from "~/gate/ownership/judge.server";
import { createSettledJudgements } from "~/gate/ownership/settled-judgement.server";
import { requireMet } from "~/gate/require-met";
import { createSpentSignatureStore } from "~/gate/proofs/spent-signatures.store.server";
import { submit } from "~/gate/keys/submit.server";
import type { SubmitRequest } from "~/gate/keys/submit.server";
import { createSubmissionStore } from "~/gate/keys/submissions.store.server";
import { loadTokenKeys, publicJwks } from "~/gate/tokens/token-keys.server";
import { readKeyStatus, readTokenStatus } from "~/gate/keys/token-status.server";
import type { KeyAsked } from "~/gate/keys/token-status.server";
import { createGateBodies } from "~/gate/gate-bodies";
import type { KeyKind, KeyKinds } from "~/gate/kinds/kind";
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

/** The one kind of key that the older settings make. */
function readKinds({ chain, brand }: Config): KeyKinds {
  const { id: chainId, contractAddress: contract, standard } = chain;
  const kind: KeyKind = {
    name: "key",
    title: brand.name,
    standard,
    chainId,
    contract,
    keptUnder: { chainId, contractAddress: contract },
    delegation: "none",
    delegatesMayUse: false,
    requirement: null,
    opens: ["room", "chat", "tts", "tools"],
  };
  return { list: [kind], areNamed: false };
}

type GateNeeds = { content: ContentServices; leases: LeaseKeeper; outbox: OutboxServices };
type HolderQuestion = { holder: Holder };

export async function wireGate(foundation: Foundation, { content, leases, outbox }: GateNeeds) {
  const { config, domains, origin, database, state, chain, metrics } = foundation;
  const clock = systemClock;
  const kinds = readKinds(config);
  const tokens = await wireTokens(config, kinds, domains, origin);
  const keys = createKeyStore(database);
  const { judge, clientOf, watcher, watcherAge, findWatchedBlock } = wireOwnership(foundation, keys, leases);
  const { nonces } = state;
  const siweEnabled = config.state.enabled;
  const shared = { domains, kinds, clock, judge, keys };
  const spentSignatures = createSpentSignatureStore(database);
  const admitDependencies: ProofDependencies & AdmitDependencies = {
    ...shared,
    siweEnabled,
    ...config.gate,
    nonces,
    verifyToken: tokens.verify,
    spentSignatures,
    mintToken: tokens.mint,
    readContent: content.readContent,
    countGrant: metrics.countGrant,
  };
  const useDependencies = {
    ...shared,
    spentSignatures,
    submissions: createSubmissionStore(database, clock, outbox.store),
    requireSettled: createSettledJudgements({
      judge,
      clientOf,
      keys,
      findWatchedBlock,
      requireHeld: (judgement, question) => requireMet(question, judgement, kinds),
      clock,
    }),
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
  const { contractAddress, standard } = config.chain;
  return {
    kinds,
    bodies: createGateBodies(kinds),
    issueNonce: ({ clientId }: { clientId: string }) => issueNonce(clientId, { siweEnabled, nonces }),
    /** Who asks; throws the refusal of what proves nothing. */
    identify: (request: ProofRequest) => identify(request, admitDependencies),
    admit: (claimant: Claimant) => admit(claimant, admitDependencies),
    submit: (request: SubmitRequest) => submit(request, useDependencies),
    readTokenStatus: (asked: KeyAsked) => readTokenStatus(asked, shared),
    /** The same with the owner. */
    readKeyStatus: (asked: KeyAsked) => readKeyStatus(asked, shared),
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
  const clientOf = () => chain;
  const judge = createJudge({
    clientOf,
    confirmationsOf: () => config.chain.keyUseConfirmations,
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
      judge.forget({ chainId, contractAddress }, new Set(departures.map(({ tokenId }) => tokenId)));
      metrics.countDepartures(departures.length);
      await keys.recordDepartures({ chainId, contractAddress, departures, departedAtMs: clock(), hold });
    },
    onBlock: (blockNumber) => judge.noteBlock(chainId, blockNumber),
    onReorganisation: () => judge.forgetChain(chainId),
    lease: leases.add(watcherLease),
    log,
    clock,
  });
  const findWatchedBlock = async () =>
    (await cursors.findCursor({ chainId, contractAddress }))?.blockNumber ?? null;
  return { judge, clientOf, watcher, watcherAge, findWatchedBlock };
}

async function wireTokens(config: Config, kinds: KeyKinds, domains: readonly string[], origin: string) {
  const { jwt, mode } = config;
  const keys = await loadTokenKeys({ ...jwt, dataDir: config.serving.dataDir, mode });
  const issuer = jwt.issuer ?? origin;
  const audience = jwt.audience ?? [domains[0]!];
  const { clockToleranceSeconds } = jwt;
  const expected = { issuer, audience, kinds };
  const verified = createVerifiedTokens({
    verify: (token) =>
      verifyAccessToken({ keys, token, expected, clockToleranceSeconds, clock: systemClock }),
    clockToleranceSeconds,
    clock: systemClock,
  });

  return {
    publicKeys: () => publicJwks(keys),
    verify: async ({ token, requiredScope }: { token: string; requiredScope: GateScope }) => {
      const found = await verified.read(token);
      requireScope(found, requiredScope);
      return found;
    },
    mint: async (grant: TokenGrant) => {
      const { ownedAtMs: issuedAtMs, ...rest } = grant;
      const ttlSeconds = jwt.accessTtlSeconds;
      const { areNamed } = kinds;
      const minted = { keys, ...rest, issuer, audience, areNamed, issuedAtMs, ttlSeconds };
      return (await mintAccessToken(minted)).token;
    },
    reissue: (dates: Omit<ReissueAccessTokenOptions, "keys">) => reissueAccessToken({ keys, ...dates }),
  };
}
