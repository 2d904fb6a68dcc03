import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { mintAccessToken, verifyAccessToken } from "~/gate/tokens/access-token.server";
import { createNonceStore } from "~/gate/proofs/nonces.store.server";
import { loadTokenKeys } from "~/gate/tokens/token-keys.server";
import { createVerifiedTokens } from "~/gate/tokens/verified-tokens.server";
import { systemClock } from "~/platform/time/clock";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { oneKind } from "../key-kinds";

/**
 * What a part of a sign-in takes of all threads' CPU, made by the library for it and by the code in its place, each
 * round. Called with the number of rounds, and with what the repeats of a round are multiplied by; prints JSON.
 */
export type PartRounds = { part: string; rounds: { libraryMicros: number; ownMicros: number }[] };

const [rounds = 3, scale = 1] = process.argv.slice(2).map(Number);
const repeats = Math.max(20, Math.round(3_000 * scale));
const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const nonce = "0123456789abcdef0123456789abcdef";
const issuedAt = "2026-01-15T12:00:00.000Z";

type Work = (index: number) => unknown;

/** In turn, another one first each time, after a round that is not counted: what else the machine does falls on both. */
async function compare(part: string, { library, own }: { library: Work; own: Work }): Promise<PartRounds> {
  const measured: PartRounds["rounds"] = [];
  let next = 0;
  async function run(work: Work): Promise<number> {
    const before = process.cpuUsage();
    for (let index = 0; index < repeats; index++) await work(next++);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / repeats;
  }
  for (let round = 0; round <= rounds; round++) {
    const libraryFirst = round % 2 === 0 ? await run(library) : null;
    const ownMicros = await run(own);
    const libraryMicros = libraryFirst ?? (await run(library));
    if (round > 0) measured.push({ libraryMicros, ownMicros });
  }
  return { part, rounds: measured };
}

async function measureTokens(): Promise<PartRounds> {
  const secret = "a secret of the bench that is long enough";
  const keys = await loadTokenKeys({ secret, dataDir: "unused", mode: "production" });
  const kinds = oneKind({ chainId: 31337, contract: "0x00000000000000000000000000000000000000aa" });
  const site = {
    issuer: "http://localhost:3000",
    audience: ["localhost:3000"],
    kinds,
  };
  const { token } = await mintAccessToken({
    keys,
    address,
    auth: "siwe",
    keyKind: kinds.list[0]!,
    areNamed: false,
    tokenId: "7",
    siwe: { address, domain: "localhost:3000", chainId: 31337, nonce, issuedAt },
    signedText: "signed",
    ttlSeconds: 900,
    ...site,
    issuedAtMs: systemClock(),
  });
  const shared = { clockToleranceSeconds: 5, clock: systemClock };
  const verify = (given: string) => verifyAccessToken({ keys, token: given, expected: site, ...shared });
  const verified = createVerifiedTokens({ verify, ...shared });
  return await compare("verify a token met before", {
    library: () => verify(token),
    own: () => verified.read(token),
  });
}

async function measureNonces(): Promise<PartRounds> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-parts-"));
  const url = pathToFileURL(path.join(dir, "parts.db")).href;
  await migrateDatabase({ url, migrationsDir: "prisma/migrations" });
  const database = await openDatabase({ url });
  try {
    const store = createNonceStore(database, systemClock);
    const count = 2 * repeats * (rounds + 1);
    for (let index = 0; index < count; index++) {
      await store.issueNonce({ value: `n${index}`, clientId: "c", ttlSeconds: 600 });
    }
    return await compare("consume a nonce", {
      library: (index) =>
        database.nonce.updateMany({
          where: {
            value: `n${index}`,
            consumedAtMs: null,
            expiresAtMs: { gt: BigInt(Date.now()) },
            clientId: "c",
          },
          data: { consumedAtMs: BigInt(Date.now()) },
        }),
      own: (index) => store.consumeNonce({ value: `n${index}`, clientId: "c" }),
    });
  } finally {
    await closeDatabase(database);
    await rm(dir, { recursive: true, force: true });
  }
}

const costs: PartRounds[] = [await measureTokens(), await measureNonces()];
console.log(JSON.stringify(costs));
