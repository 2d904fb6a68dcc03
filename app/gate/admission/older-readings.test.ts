import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { signLegacy } from "~/commands/signed-requests";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { oneKind } from "~e2e/support/key-kinds";
import { developmentAccount } from "../../../contracts/local-chain.mjs";
import { admit } from "./admit.server";
import type { AdmitDependencies, TokenGrant } from "./admit.server";
import { requireHolder } from "../tokens/holder.server";
import { createKeyStore } from "../ownership/keys.store.server";
import { createJudge } from "../ownership/judge.server";
import { readClaimant } from "../proofs/proofs.server";
import type { ProofDependencies } from "../proofs/proof.server";
import { createSpentSignatureStore } from "../proofs/nonces.store.server";

const [seller, buyer] = [1, 2];
/** This chain's blocks may be dated ahead of the clock. */
const dayMs = 86_400_000;

let chain: TestChain;
let rpc: RpcFaultServer;
/** Sold in the newest block. */
let tokenId: string;
let newest: bigint;
let soldAtSeconds: number;

beforeAll(async () => {
  chain = await startTestChain();
  rpc = await startRpcFaultServer(chain.rpcUrl);
});
afterAll(async () => {
  await rpc.stop();
  await chain.stop();
});
beforeEach(async () => {
  tokenId = await chain.mintKey(seller);
  const { timestamp } = await chain.viewer.getBlock();
  await chain.control.setNextBlockTimestamp({ timestamp: timestamp + 2n });
  await chain.transferKey({ tokenId, from: seller, to: chain.addressOf(buyer) });
  const block = await chain.viewer.getBlock();
  [newest, soldAtSeconds] = [block.number, Number(block.timestamp)];
  rpc.setNewestBlock(newest - 1n);
});

/** A process that hasn't seen the chain yet. */
async function openProcess(rpcUrls = [rpc.url]) {
  const { database } = await createSqliteTestDatabase();
  const keys = createKeyStore(database);
  const client = createChainClient({ rpcUrls, chainId: chain.chainId, wallClock: () => Date.now() + dayMs });
  const kinds = oneKind({ chainId: chain.chainId, contract: chain.key.address });
  const keyKind = kinds.list[0]!;
  const judge = createJudge({
    clientOf: () => client,
    confirmationsOf: () => 0,
    cacheSeconds: 0,
    clock: Date.now,
  });
  const holding = { kinds, clock: Date.now, judge, keys };
  const unused = () => expect.fail("It is not asked for.");
  const granted: TokenGrant[] = [];
  const dependencies: ProofDependencies & AdmitDependencies = {
    ...holding,
    domains: ["localhost:3000"],
    allowsPlainHttp: false,
    isStateActive: true,
    legacySignatures: "allow",
    nonceBinding: "client",
    nonces: { consumeNonce: unused },
    verifyToken: unused,
    spentSignatures: createSpentSignatureStore(database),
    mintToken: async (grant) => `token ${granted.push(grant)}`,
    walletFactories: "any",
    readContent: async () => ({}) as never,
    countGrant: () => {},
  };

  return {
    countDepartures: () => database.keyDeparture.count(),
    departed: (account: number) =>
      keys.recordDeparture({
        key: { ...keyKind.keptUnder, tokenId },
        holder: chain.addressOf(account),
        departedAtMs: Date.now() - 1,
      }),
    /** As another process does. */
    readUpTo: (blockNumber: bigint, blockSeconds = 0n) =>
      database.chainCursor.create({
        data: { ...keyKind.keptUnder, blockNumber, blockHash: "0x01", blockSeconds, updatedAtMs: Date.now() },
      }),
    useToken: (account: number, issuedAtSeconds = soldAtSeconds) => {
      const address = chain.addressOf(account);
      const holder = {
        address,
        keyKind,
        tokenId,
        vault: null,
        opensRoom: true,
        issuedAtSeconds,
        proofHash: null,
      };
      return requireHolder(holder, holding);
    },
    signIn: async (index: number) => {
      const { account } = developmentAccount(index);
      const site = { origin: "http://localhost:3000", chainId: chain.chainId };
      const body = await signLegacy(site, { account, tokenId });
      const claimant = await readClaimant(
        {
          authorization: undefined,
          body: { tier: "legacy", ...body, keyKind, vault: null },
          clientId: "c",
          host: "localhost:3000",
        },
        dependencies,
      );
      return await admit(claimant, dependencies);
    },
  };
}

const unavailable = { refusalName: "chain-unavailable", status: 503 };
const notOwned = { refusalName: "you-do-not-own-this-token" };

test("a block older than the watcher's, which another process has read, ends no token and admits nobody", async () => {
  const site = await openProcess();
  await site.readUpTo(newest);
  await site.departed(seller);
  await expect(site.useToken(buyer)).rejects.toMatchObject(unavailable);
  await expect(site.useToken(seller, soldAtSeconds + 60)).rejects.toMatchObject(unavailable);
  await expect(site.signIn(seller)).rejects.toMatchObject(unavailable);
  await expect(site.signIn(buyer)).rejects.toMatchObject(unavailable);
  expect(await site.countDepartures()).toBe(1);

  rpc.setNewestBlock(null);
  await site.useToken(buyer);
  await expect(site.signIn(seller)).rejects.toMatchObject(notOwned);
  expect(await site.signIn(buyer)).toMatchObject({ access: "granted" });
});

test("nor does a block thousands older than the watcher's, and an endpoint that is up to date is asked instead", async () => {
  await chain.control.mine({ blocks: 2_500 });
  const { number, timestamp } = await chain.viewer.getBlock();
  const site = await openProcess();
  const other = await openProcess([rpc.url, chain.rpcUrl]);
  for (const { readUpTo, departed } of [site, other]) {
    await readUpTo(number, timestamp);
    await departed(seller);
  }
  await expect(site.useToken(seller, soldAtSeconds + 60)).rejects.toMatchObject(unavailable);
  await expect(site.signIn(seller)).rejects.toMatchObject(unavailable);
  await expect(site.signIn(buyer)).rejects.toMatchObject(unavailable);
  await expect(other.signIn(seller)).rejects.toMatchObject(notOwned);
  expect(await other.signIn(buyer)).toMatchObject({ access: "granted" });
});

test("nor does a block older than one that this process has read", async () => {
  const site = await openProcess();
  rpc.setNewestBlock(null);
  await site.signIn(buyer);
  rpc.setNewestBlock(newest - 1n);
  await expect(site.signIn(seller)).rejects.toMatchObject(unavailable);
  await expect(site.signIn(buyer)).rejects.toMatchObject(unavailable);
  expect(await site.countDepartures()).toBe(0);
});

test("while nobody knows of a newer block, one from before a token was made refuses the token and does not end it", async () => {
  // Called code sees this node's clock; a header its block's time.
  rpc.setFault("deployless-refused");
  onTestFinished(() => rpc.setFault("none"));
  const site = await openProcess();
  await expect(site.useToken(buyer)).rejects.toMatchObject(notOwned);
  expect(await site.countDepartures()).toBe(0);
  rpc.setNewestBlock(null);
  await site.useToken(buyer);
  await chain.transferKey({ tokenId, from: buyer, to: chain.addressOf(3) });
  const next = await openProcess();
  await expect(next.useToken(buyer)).rejects.toMatchObject(notOwned);
  expect(await next.countDepartures()).toBe(1);
});
