import { admit } from "~/gate/admit.server";
import type { AdmitDependencies, Admission, TokenGrant } from "~/gate/admit.server";
import { gateScopes } from "~/gate/access-token.schema";
import type { GateScope } from "~/gate/access-token.schema";
import {
  mintAccessToken,
  reissueAccessToken,
  requireScope,
  verifyAccessToken,
} from "~/gate/access-token.server";
import { authenticateCaller, requireCaller } from "~/gate/caller.server";
import type { Caller } from "~/gate/caller.server";
import { createChainCursorStore } from "~/gate/chain-cursor.store.server";
import type { FormSubmission, TokenStatus } from "~/gate/gate.schema";
import type { IdentifyRequest } from "~/gate/identify.server";
import { issueNonce } from "~/gate/issue-nonce.server";
import type { Holder } from "~/gate/holder.server";
import { requireHolder } from "~/gate/holder.server";
import { createKeyStore } from "~/gate/keys.store.server";
import type { NonceStore } from "~/gate/nonces.store.server";
import { findContractFault } from "~/gate/ownership.gateway.server";
import { createOwnershipReader } from "~/gate/ownership.server";
import { createSpentSignatureStore } from "~/gate/spent-signatures.store.server";
import { submit } from "~/gate/submit.server";
import { createSubmissionStore } from "~/gate/submissions.store.server";
import { loadTokenKeys, publicJwks } from "~/gate/token-keys.server";
import { readKeyStatus, readTokenStatus } from "~/gate/token-status.server";
import type { KeyStatus } from "~/gate/token-status.server";
import { createTransferWatcher } from "~/gate/transfer-watcher.server";
import type { TransferWatcher } from "~/gate/transfer-watcher.server";
import { useKey } from "~/gate/use-key.server";
import type { KeyUsed } from "~/gate/use-key.server";
import { createVerifiedTokens } from "~/gate/verified-tokens.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { systemClock } from "~/platform/clock";
import type { Config } from "~/platform/config/config.server";
import type { Database } from "~/platform/database/database.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";
import type { OutboxSender } from "~/platform/outbox/outbox.server";
import type { GatedContent } from "~/content/content.schema";
import type { ContentServices } from "./content.server";
import { wireOutbox } from "./outbox.server";
import { wireSession } from "./session.server";
import type { SessionServices } from "./session.server";

export type GateServices = {
  issueNonce: (request: { clientId: string }) => Promise<string>;
  admit: (request: IdentifyRequest) => Promise<Admission>;
  submit: (request: {
    submission: FormSubmission;
    host: string | null;
    requestId: string;
  }) => Promise<{ success: true; message: string }>;
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
  useKey: (request: { holder: Holder }) => Promise<KeyUsed>;
  /** Null where no token came and none is required. Throws the refusals `missing-jwt` and `invalid-jwt`. */
  authenticateCaller: (call: CallerCall & { isRequired: boolean }) => Promise<Caller | null>;
  requireCaller: (call: CallerCall) => Promise<Caller>;
  publicKeys: () => { keys: object[] };
  session: SessionServices;
  /** What is wrong with the key contract, in a sentence; throws when the chain cannot be asked. */
  findContractFault: () => Promise<string | null>;
  watcherStatus: TransferWatcher["status"];
  outbox: Pick<OutboxSender, "status" | "wake">;
  stop: () => Promise<void>;
};

/** `body`: as parsed; it may hold the token. */
export type CallerCall = { context: RequestContext; body?: unknown; requiredScope: GateScope };

export async function wireGate({
  config,
  domains,
  origin,
  database,
  nonces,
  chain,
  content,
  leases,
  metrics,
  log,
}: {
  config: Config;
  domains: readonly string[];
  origin: string;
  database: Database;
  nonces: NonceStore;
  chain: ChainClient;
  content: ContentServices;
  leases: LeaseKeeper;
  metrics: Metrics;
  log: Log;
}): Promise<GateServices> {
  const clock = systemClock;
  const { contractAddress, standard, id: chainId } = config.chain;
  const tokens = await wireTokens({ config, domains, origin });
  const keys = createKeyStore({ database });
  const ownership = createOwnershipReader({
    client: chain,
    contractAddress,
    standard,
    cacheSeconds: config.chain.ownershipCacheSeconds,
    clock,
  });
  const outbox = wireOutbox({ config, database, lease: leases.of("outbox"), log });
  const cursors = createChainCursorStore({ database, clock });
  const watcher = createTransferWatcher({
    client: chain,
    contractAddress,
    standard,
    pollSeconds: config.chain.pollSeconds,
    cursor: {
      load: () => cursors.findCursor({ chainId, contractAddress }),
      save: ({ cursor, hold }) =>
        cursors.saveCursor({ contract: { chainId, contractAddress }, cursor, hold }),
    },
    onDeparture: async ({ tokenId, from, hold }) => {
      ownership.forget({ tokenId });
      metrics.countDeparture();
      await keys.recordDeparture({
        key: { chainId, contractAddress, tokenId },
        holder: from,
        departedAtMs: clock(),
        hold,
      });
    },
    onBlock: ownership.noteBlock,
    onReorganisation: () => ownership.forget(),
    lease: leases.of("watcher"),
    log,
    clock,
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
    spentSignatures: createSpentSignatureStore({ database }),
    mintToken: tokens.mint,
    readContent: content.readContent,
    countGrant: metrics.countGrant,
  };
  const useDependencies = {
    ...place,
    ownership,
    keys,
    submissions: createSubmissionStore({ database, clock }),
    channels: outbox.channels,
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
  const askCaller = ({ context, body, requiredScope }: CallerCall) => ({
    request: { headers: context.headers, searchParams: context.searchParams, body },
    requiredScope,
    dependencies: {
      contractAddress,
      verifyToken: tokens.verify,
      keys,
      isAllowedOrigin: context.service.isAllowedOrigin,
    },
  });
  metrics.watchOutboxPending(outbox.store.countPending);
  watcher.start();
  outbox.sender.start();

  return {
    issueNonce: ({ clientId }) => issueNonce({ clientId, siweEnabled: config.state.enabled, nonces }),
    admit: (request) => admit({ request, dependencies: admitDependencies }),
    submit: (request) => submit({ ...request, dependencies: submitDependencies }),
    readTokenStatus: ({ tokenId }) => readTokenStatus({ tokenId, dependencies: statusDependencies }),
    readKeyStatus: ({ tokenId }) => readKeyStatus({ tokenId, dependencies: statusDependencies }),
    readContentFor: async ({ holder }) => {
      await requireHolder({ holder, dependencies: useDependencies });
      return content.readContent({ tokenId: holder.tokenId, mediaOrigin: origin });
    },
    requireHolder: (request) => requireHolder({ ...request, dependencies: useDependencies }),
    useKey: ({ holder }) => useKey({ holder, dependencies: useDependencies }),
    authenticateCaller: async ({ isRequired, ...call }) => {
      const caller = await authenticateCaller({ isRequired, ...askCaller(call) });
      if (caller) {
        const { sub: address, tokenId } = caller.claims;
        call.context.accessClaim = { proof: "bearer", address, tokenId };
      }
      return caller;
    },
    requireCaller: (call) => requireCaller(askCaller(call)),
    publicKeys: tokens.publicKeys,
    session: wireSession({
      dependencies: sessionDependencies,
      admit: (request) => admit({ request, dependencies: admitDependencies }),
    }),
    findContractFault: () => findContractFault({ client: chain, contractAddress, standard }),
    watcherStatus: watcher.status,
    outbox: outbox.sender,
    stop: async () => void (await Promise.all([watcher.stop(), outbox.sender.stop()])),
  };
}

async function wireTokens({
  config,
  domains,
  origin,
}: {
  config: Config;
  domains: readonly string[];
  origin: string;
}) {
  const { jwt, mode, chain } = config;
  const keys = await loadTokenKeys({
    alg: jwt.alg,
    secret: jwt.secret ?? undefined,
    privateKeyPem: jwt.privateKeyPem ?? undefined,
    publicKeyPem: jwt.publicKeyPem ?? undefined,
    previousKeys: jwt.previousKeys ?? undefined,
    dataDir: config.serving.dataDir,
    mode,
  });
  const issuer = jwt.issuer ?? origin;
  const audience = jwt.audience ?? [domains[0]!];
  const { clockToleranceSeconds } = jwt;
  const expected = { issuer, audience, chainId: chain.id };
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
      requireScope({ claims, requiredScope });
      return claims;
    },
    mint: ({ departedAtMs, ownedAtMs, ...grant }: TokenGrant) => {
      const { token } = mintAccessToken({
        keys,
        ...grant,
        scopes: gateScopes,
        chainId: chain.id,
        ttlSeconds: jwt.accessTtlSeconds,
        issuer,
        audience,
        notBeforeIssuedAtSeconds: departedAtMs === null ? 0 : Math.floor(departedAtMs / 1000) + 1,
        clock: () => ownedAtMs,
      });
      return token;
    },
    reissue: (dates: Omit<Parameters<typeof reissueAccessToken>[0], "keys">) =>
      reissueAccessToken({ keys, ...dates }),
  };
}
