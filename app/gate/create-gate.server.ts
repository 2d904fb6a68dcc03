import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { Mode } from "~/platform/config/setting";
import type { Metrics } from "~/platform/metrics/metrics.server";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";
import { monotonicClock, systemClock as clock } from "~/platform/time/clock";
import { admit, readContentFor } from "./admission/admit.server";
import type { AdmitDependencies, ContentDependencies, TokenGrant } from "./admission/admit.server";
import { readKeyStatus, readTokenStatus } from "./admission/token-status.server";
import type { KeyAsked } from "./admission/token-status.server";
import { createOwnership } from "./create-ownership.server";
import type { OwnershipDependencies } from "./create-ownership.server";
import { createSubmissionStore } from "./form/submissions.store.server";
import { submit } from "./form/submit.server";
import type { SubmitRequest } from "./form/submit.server";
import { useKey } from "./form/use-key.server";
import type { readGate } from "./gate.settings";
import { firstKind } from "./kinds/kind-of-key";
import { createKeyStore } from "./ownership/keys.store.server";
import { createGateBodies } from "./proofs/gate-bodies";
import { issueNonce } from "./proofs/issue-nonce.server";
import type { NonceStore } from "./proofs/nonces.store.server";
import type { Claimant, ProofDependencies, ProofRequest } from "./proofs/proof.server";
import { identify } from "./proofs/proofs.server";
import { createSpentSignatureStore } from "./proofs/spent-signatures.store.server";
import { createSession } from "./session/create-session.server";
import type { GateScope } from "./tokens/access-token.schema";
import {
  mintAccessToken,
  reissueAccessToken,
  requireScope,
  verifyAccessToken,
} from "./tokens/access-token.server";
import type { ReissueAccessTokenOptions } from "./tokens/access-token.server";
import { identifyCaller } from "./tokens/caller.server";
import type { CallerRequest } from "./tokens/caller.server";
import type { Holder, TokenHolder } from "./tokens/holder";
import { requireHolder } from "./tokens/holder.server";
import { createRevokedProofStore } from "./tokens/revoked-proofs.store.server";
import type { CallerRule } from "./tokens/scopes";
import { loadTokenKeys, publicJwks } from "./tokens/token-keys.server";
import type { readTokens } from "./tokens/tokens.settings";
import { createVerifiedTokens } from "./tokens/verified-tokens.server";
import { createContractFaults, findContractFault } from "./transfers/contract-faults.server";

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
    isSiweOn: boolean;
    /** Whether callers of the API need a token. */
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
  const { database, chains, outbox, isSiweOn: siweEnabled } = given;
  const tokens = await createTokens(given);
  const keys = createKeyStore(database);
  const { judge, watchers, requireSettled, survey } = createOwnership(keys, given);
  const shared = { domains, kinds, clock, judge, keys };
  const spentSignatures = createSpentSignatureStore(database);
  const admitDependencies: ProofDependencies & AdmitDependencies = {
    ...shared,
    siweEnabled,
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
  const sessionDependencies = {
    ...admitDependencies,
    origin,
    accessTtlSeconds: jwt.accessTtlSeconds,
    sessionMaxSeconds: jwt.sessionMaxSeconds,
    reissueToken: tokens.reissue,
    // Without sites behind the door, nothing is left to end but the cookie.
    revokeProof: given.hasSites ? createRevokedProofStore(database).revokeProof : null,
  };
  const callerDependencies = {
    ...shared,
    verifyToken: tokens.verify,
    isAllowedOrigin,
    requiresToken: given.requiresToken,
  };
  watchers.start();
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
      readContentFor(holder, { ...shared, origin, readContent }),
    /** Asks the chain (`fresh`: even if it was asked a moment ago) and the database. Throws the gate's refusals. */
    requireHolder: ({ holder, fresh }: HolderQuestion & { fresh?: boolean }) =>
      requireHolder(holder, shared, { fresh }),
    useKey: ({ holder }: { holder: TokenHolder }) => useKey(holder, useDependencies),
    /** Null for a stranger, where the rule has any. Throws the refusals `missing-jwt` and `invalid-jwt`. */
    identifyCaller: (rule: CallerRule, request: CallerRequest) =>
      identifyCaller(rule, request, callerDependencies),
    publicKeys: tokens.publicKeys,
    session: createSession(sessionDependencies),
    /** For what holders hold elsewhere, as at the door. */
    holding: shared,
    /** For tokens of other types. */
    signing: tokens.signing,
    areKindsNamed: kinds.areNamed,
    /** For the operator: every kind for one wallet, afresh. */
    survey,
    /** Faults of the contracts, in sentences. Throws if the chain of the contract in the settings cannot be asked. */
    findContractFault: kinds.areNamed
      ? createContractFaults(kinds.list, chains, monotonicClock)
      : () => findContractFault(getChainClient(chains, firstKind(kinds).chainId), firstKind(kinds)),
    /** The chains that keys and their leaves are on. */
    chainIds: watchers.chainIds,
    /** This process's own, for each chain. */
    watcherStatuses: watchers.statuses,
    /** The newest of all processes on this database, for each chain. */
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
