import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { Mode } from "~/platform/config/setting";
import type { Metrics, KeyMetrics } from "~/platform/metrics/metrics.server";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";
import { monotonicClock, systemClock as clock } from "~/platform/time/clock";
import { admit, readContentFor } from "./admission/admit.server";
import type { AdmitDependencies, ContentDependencies, TokenGrant } from "./admission/admit.server";
import { readKeyStatus, readTokenStatus } from "./admission/token-status.server";
import type { KeyAsked } from "./admission/token-status.server";
import { createSubmissionStore } from "./form/submissions.store.server";
import { submit } from "./form/submit.server";
import type { SubmitRequest } from "./form/submit.server";
import { useKey } from "./form/use-key.server";
import type { readGate } from "./gate.settings";
import { firstKind } from "./kinds/kind";
import { createKeyStore, createRevokedProofStore } from "./ownership/keys.store.server";
import { createGateBodies } from "./proofs/gate-bodies";
import { issueNonce, readClaimant } from "./proofs/proofs.server";
import type { NonceStore } from "./proofs/nonces.store.server";
import type { Claimant, ProofDependencies, ProofRequest } from "./proofs/proof.server";
import { createSpentSignatureStore } from "./proofs/nonces.store.server";
import { createSession } from "./session/session.server";
import type { GateScope, CallerRule, Holder, TokenHolder } from "./tokens/access-token.schema";
import {
  mintAccessToken,
  reissueAccessToken,
  requireScope,
  verifyAccessToken,
} from "./tokens/access-token.server";
import type { ReissueAccessTokenOptions } from "./tokens/access-token.server";
import { identifyCaller } from "./tokens/caller.server";
import type { CallerRequest } from "./tokens/caller.server";
import { holderOf, requireHolder } from "./tokens/holder.server";
import { loadTokenKeys, publicJwks } from "./tokens/token-keys.server";
import type { readTokens } from "./tokens/tokens.settings";
import { createVerifiedTokens } from "./tokens/signed-token.server";
import { createContractFaults, findContractFault } from "./transfers/contract-faults.server";
import type { ChainClients } from "~/platform/chain/chain-clients.server";
import type { readChain } from "~/platform/chain/chain.settings";
import type { Database } from "~/platform/database/database.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { Log } from "~/platform/log/log.server";
import type { KeyKinds } from "./kinds/kind";
import type { KeyChain } from "./kinds/keys.settings";
import { createJudge } from "./ownership/judge.server";
import type { KeyStore } from "./ownership/keys.store.server";
import { createSettledJudgements } from "./ownership/settled-judgement.server";
import { surveyKinds } from "./ownership/survey.server";
import type { SurveyQuestion } from "./ownership/survey.server";
import { requireMet } from "./tokens/require-met";
import { createChainCursorStore } from "./transfers/chain-cursor.store.server";
import { listChainsToFollow, createTransferWatchers } from "./transfers/transfer-watchers.server";

export type GateServices = Awaited<ReturnType<typeof createGate>>;

type TokenDependencies = Pick<OwnershipDependencies, "kinds"> & {
  jwt: ReturnType<typeof readTokens>;
  mode: Mode;
  dataDir: string;
  domains: readonly string[];
  origin: string;
};

type GateDependencies = OwnershipDependencies &
  TokenDependencies & {
    settings: ReturnType<typeof readGate>;
    isStateActive: boolean;
    /** Whether API callers need a token. */
    requiresToken: boolean;
    /** Whether there are sites behind the door. */
    hasSites: boolean;
    isAllowedOrigin: (origin: string) => boolean;
    nonces: NonceStore;
    outbox: Pick<OutboxServices, "store" | "wake">;
    readContent: ContentDependencies["readContent"] & AdmitDependencies["readContent"];
    metrics: Pick<Metrics, "countGrant">;
  };

type HolderQuestion = { holder: Holder };

export async function createGate(given: GateDependencies) {
  const { settings, kinds, jwt, domains, origin, isAllowedOrigin, nonces, readContent } = given;
  const { database, chains, outbox, isStateActive } = given;
  const tokens = await createTokens(given);
  const keys = createKeyStore(database);
  const { judge, watchers, requireSettled, survey } = createOwnership(keys, given);
  const shared = { domains, kinds, clock, judge, keys };
  const spentSignatures = createSpentSignatureStore(database);
  const admitDependencies: ProofDependencies & AdmitDependencies = {
    ...shared,
    isStateActive,
    ...settings,
    nonces,
    verifyToken: tokens.verify,
    spentSignatures,
    mintToken: tokens.mint,
    readContent,
    countGrant: given.metrics.countGrant,
  };
  const useDependencies = {
    ...shared,
    spentSignatures,
    submissions: createSubmissionStore(database, clock, outbox.store),
    requireSettled,
    wakeOutbox: outbox.wake,
    requireSignedMessage: settings.requireSignedMessage,
    walletFactories: settings.walletFactories,
  };
  const session = createSession({
    ...shared,
    origin,
    accessTtlSeconds: jwt.accessTtlSeconds,
    sessionMaxSeconds: jwt.sessionMaxSeconds,
    verifyToken: tokens.verify,
    reissueToken: tokens.reissue,
    open: (caller) => admit({ ...holderOf(caller), kind: "bearer", claims: null }, admitDependencies),
    // Without sites behind the door, only the cookie ends.
    revokeProof: given.hasSites ? createRevokedProofStore(database).revokeProof : null,
  });
  const callerDependencies = {
    ...shared,
    verifyToken: tokens.verify,
    isAllowedOrigin,
    requiresToken: given.requiresToken,
  };
  watchers.start();
  return {
    bodies: createGateBodies(kinds),
    issueNonce: ({ clientId }: { clientId: string }) => issueNonce(clientId, { isStateActive, nonces }),
    readClaimant: (request: ProofRequest) => readClaimant(request, admitDependencies),
    admit: (claimant: Claimant) => admit(claimant, admitDependencies),
    submit: (request: SubmitRequest) => submit(request, useDependencies),
    readTokenStatus: (key: KeyAsked) => readTokenStatus(key, shared),
    readKeyStatus: (key: KeyAsked) => readKeyStatus(key, shared),
    readContentFor: ({ holder }: HolderQuestion) =>
      readContentFor(holder, { ...shared, origin, readContent }),
    /** `fresh`: bypasses the cache. Throws the gate's refusals. */
    requireHolder: ({ holder, fresh }: HolderQuestion & { fresh?: boolean }) =>
      requireHolder(holder, shared, { fresh }),
    useKey: ({ holder }: { holder: TokenHolder }) => useKey(holder, useDependencies),
    /** Null for a stranger, if the rule allows any. Throws `missing-jwt` and `invalid-jwt`. */
    identifyCaller: (rule: CallerRule, request: CallerRequest) =>
      identifyCaller(rule, request, callerDependencies),
    publicKeys: tokens.publicKeys,
    session,
    /** For the door, which checks holders too. */
    holding: shared,
    /** For tokens of other types. */
    signing: tokens.signing,
    areKindsNamed: kinds.areNamed,
    survey,
    /** In sentences. Throws if the chain of the one contract in the settings is unavailable. */
    findContractFault: kinds.areNamed
      ? createContractFaults(kinds.list, chains, monotonicClock)
      : () => findContractFault(getChainClient(chains, firstKind(kinds).chainId), firstKind(kinds)),
    chainIds: watchers.chainIds,
    /** This process's. */
    watcherStatuses: watchers.statuses,
    /** From all processes on this database. */
    watcherAges: watchers.ages,
    stop: watchers.stop,
  };
}

async function createTokens({ jwt, mode, dataDir, kinds, domains, origin }: TokenDependencies) {
  const keys = await loadTokenKeys({ ...jwt, dataDir, mode });
  const issuer = jwt.issuer ?? origin;
  const audience = jwt.audience ?? [domains[0]!];
  const { clockToleranceSeconds } = jwt;
  const expected = { issuer, audience, kinds };
  const verified = createVerifiedTokens({
    verify: (token) => verifyAccessToken({ keys, token, expected, clockToleranceSeconds, clock }),
    clockToleranceSeconds,
    clock,
  });

  return {
    signing: { keys, issuer, clockToleranceSeconds },
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

type OwnershipDependencies = {
  kinds: KeyKinds;
  chainSettings: ReturnType<typeof readChain>;
  keyChains: readonly KeyChain[];
  chains: ChainClients;
  database: Database;
  leases: Pick<LeaseKeeper, "add">;
  leaseSeconds: number;
  metrics: Pick<Metrics, "countDepartures" | "observeWatcherAge">;
  /** Null if kinds have no names. */
  keyMetrics: Pick<KeyMetrics, "countReading"> | null;
  log: Log;
};

function createOwnership(keys: KeyStore, given: OwnershipDependencies) {
  const { kinds, chainSettings, keyChains, chains, database, metrics, keyMetrics, log } = given;
  const clientOf = (chainId: number) => getChainClient(chains, chainId);
  const confirmations = new Map(keyChains.map((chain) => [chain.id, chain.keyUseConfirmations]));
  const judge = createJudge({
    clientOf,
    confirmationsOf: (chainId) => confirmations.get(chainId) ?? 0,
    cacheSeconds: chainSettings.ownershipCacheSeconds,
    clock,
    onReading: keyMetrics?.countReading,
  });
  const cursors = createChainCursorStore(database);
  const watchers = createTransferWatchers({
    chains: listChainsToFollow(kinds.list),
    clients: chains,
    cursors,
    pollSeconds: chainSettings.pollSeconds,
    addLease: given.leases.add,
    leaseSeconds: given.leaseSeconds,
    onDepartures: async ({ departures, ...report }) => {
      judge.forget(report, new Set(departures.map(({ tokenId }) => tokenId)));
      metrics.countDepartures(departures.length);
      await keys.recordDepartures({ ...report, departures, departedAtMs: clock() });
    },
    onBlock: judge.noteBlock,
    onReorganisation: judge.forgetChain,
    log,
    clock,
    monotonicClock,
  });
  metrics.observeWatcherAge(...watchers.ages);
  const requireSettled = createSettledJudgements({
    judge,
    clientOf,
    keys,
    findWatchedBlock: (chainId) => cursors.findCursor({ chainId }),
    requireHeld: (judgement, question) => requireMet(question, judgement, kinds),
    clock,
  });
  const survey = (question: SurveyQuestion) => surveyKinds(question, { judge, keys });
  return { judge, watchers, requireSettled, survey };
}
