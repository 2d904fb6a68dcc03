import { admit, readContentFor } from "~/gate/admission/admit.server";
import type { AdmitDependencies, TokenGrant } from "~/gate/admission/admit.server";
import type { GateScope } from "~/gate/tokens/access-token.schema";
import {
  mintAccessToken,
  reissueAccessToken,
  requireScope,
  verifyAccessToken,
} from "~/gate/tokens/access-token.server";
import type { ReissueAccessTokenOptions } from "~/gate/tokens/access-token.server";
import { identifyCaller } from "~/gate/tokens/caller.server";
import type { CallerRequest } from "~/gate/tokens/caller.server";
import type { CallerRule } from "~/gate/tokens/scopes";
import { issueNonce } from "~/gate/proofs/issue-nonce.server";
import type { Claimant, ProofDependencies, ProofRequest } from "~/gate/proofs/proof.server";
import { identify } from "~/gate/proofs/proofs.server";
import type { Holder, TokenHolder } from "~/gate/tokens/holder";
import { requireHolder } from "~/gate/tokens/holder.server";
import { firstKind } from "~/gate/kinds/kind-of-key";
import { createKeyStore } from "~/gate/ownership/keys.store.server";
import { createContractFaults, findContractFault } from "~/gate/transfers/contract-faults.server";
import { createSpentSignatureStore } from "~/gate/proofs/spent-signatures.store.server";
import { submit } from "~/gate/form/submit.server";
import type { SubmitRequest } from "~/gate/form/submit.server";
import { createSubmissionStore } from "~/gate/form/submissions.store.server";
import { loadTokenKeys, publicJwks } from "~/gate/tokens/token-keys.server";
import { readKeyStatus, readTokenStatus } from "~/gate/admission/token-status.server";
import type { KeyAsked } from "~/gate/admission/token-status.server";
import { createGateBodies } from "~/gate/proofs/gate-bodies";
import { createRevokedProofStore } from "~/gate/tokens/revoked-proofs.store.server";
import { useKey } from "~/gate/form/use-key.server";
import { createVerifiedTokens } from "~/gate/tokens/verified-tokens.server";
import { createOriginCheck } from "~/platform/http/domains";
import { monotonicClock, systemClock } from "~/platform/time/clock";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { ContentServices } from "~/content/create-content.server";
import type { Foundation } from "~/services/foundation.server";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";
import { wireDoor } from "~/door/create-door.server";
import { wireOwnership } from "./create-ownership.server";
import { wireSession } from "~/gate/session/create-session.server";

export type GateServices = Awaited<ReturnType<typeof wireGate>>;

type GateNeeds = { content: ContentServices; leases: LeaseKeeper; outbox: OutboxServices };
type HolderQuestion = { holder: Holder };

export async function wireGate(foundation: Foundation, { content, leases, outbox }: GateNeeds) {
  const { config, domains, origin, database, state, chain, chains, metrics } = foundation;
  const clock = systemClock;
  const { keys: kinds } = config;
  const tokens = await wireTokens(foundation);
  const keys = createKeyStore(database);
  const { judge, watchers, requireSettled, survey } = wireOwnership(foundation, keys, leases);
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
    requireSettled,
    wakeOutbox: outbox.sender.wake,
    requireSignedMessage: config.gate.requireSignedMessage,
    walletFactories: config.gate.walletFactories,
  };
  const sessionDependencies = {
    ...admitDependencies,
    origin,
    accessTtlSeconds: config.jwt.accessTtlSeconds,
    sessionMaxSeconds: config.jwt.sessionMaxSeconds,
    reissueToken: tokens.reissue,
    // Without sites behind the door, nothing is left to end but the cookie.
    revokeProof: config.doorSites.length > 0 ? createRevokedProofStore(database).revokeProof : null,
  };
  const isAllowedOrigin = createOriginCheck(domains, config.serving.corsOrigins);
  const callerDependencies = {
    ...shared,
    verifyToken: tokens.verify,
    isAllowedOrigin,
    requiresToken: config.chat.requiresJwt,
  };
  metrics.observeWatcherAge(...watchers.ages);
  watchers.start();
  const session = wireSession(sessionDependencies);
  return {
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
    useKey: ({ holder }: { holder: TokenHolder }) => useKey(holder, useDependencies),
    /** Null for a stranger, where the rule has any. Throws the refusals `missing-jwt` and `invalid-jwt`. */
    identifyCaller: (rule: CallerRule, request: CallerRequest) =>
      identifyCaller(rule, request, callerDependencies),
    isAllowedOrigin,
    publicKeys: tokens.publicKeys,
    session,
    door: wireDoor(foundation, { holding: shared, signing: tokens.signing, session }),
    areKindsNamed: kinds.areNamed,
    /** For the operator: every kind for one wallet, afresh. */
    survey,
    /** What is wrong with the contracts, in sentences; for the one of the settings throws when the chain cannot be asked. */
    findContractFault: kinds.areNamed
      ? createContractFaults(kinds.list, chains, monotonicClock)
      : () => findContractFault(chain, firstKind(kinds)),
    /** The chains that keys and their leaves are on. */
    chainIds: watchers.chainIds,
    /** Of this process, for each chain. */
    watcherStatuses: watchers.statuses,
    /** Of all processes on this database, for each chain. */
    watcherAges: watchers.ages,
    stop: watchers.stop,
  };
}

async function wireTokens({ config, domains, origin }: Foundation) {
  const { jwt, mode, keys: kinds } = config;
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
    /** For tokens of other types. */
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
