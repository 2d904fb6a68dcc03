import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock as clock } from "~/platform/time/clock";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import { ownerOfKey } from "~/quota/quota-subject";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
let database: Database;
beforeAll(async () => {
  gate = await openGate();
  database = await openDatabase({ url: gate.server.databaseUrl });
});
afterAll(async () => {
  await closeDatabase(database);
  await gate.close();
});

function ownerOf(tokenId: string) {
  return ownerOfKey({ chainId: 31337, contractAddress: gate.contract, tokenId });
}

async function useQuota(tokenId: string, usedTokens: number): Promise<void> {
  const store = createQuotaStore(database, clock, "the test");
  const window = { limit: 20_000, windowSeconds: 86_400, expiresInSeconds: 600 };
  const outcome = await store.reserve({ owner: ownerOf(tokenId), wanted: usedTokens, ...window });
  if (outcome.outcome === "exhausted") throw new Error("The quota is exhausted.");
  await store.settle({ reservationId: outcome.reservationId, usedTokens });
}

test(
  "the command line shows and resets the same windows, with the same audit",
  { timeout: 90_000 },
  async () => {
    const run = async (...parameters: string[]) =>
      promisify(execFile)(process.execPath, ["--import", "tsx", "app/commands/quota.ts", ...parameters], {
        env: {
          PATH: process.env.PATH,
          DATA_DIR: gate.server.dataDir,
          DATABASE_URL: gate.server.databaseUrl,
          CHAIN_ID: "31337",
          RPC_URL: gate.chain.rpcUrl,
          KEY_CONTRACT_ADDRESS: gate.contract,
          JWT_SECRET: "a-secret-of-the-tests-that-is-long-enough",
        } as unknown as NodeJS.ProcessEnv,
      });
    expect((await run("show")).stdout).toBe("No window is open.\n");
    await useQuota("31", 500);
    await useQuota("32", 700);
    const { stdout } = await run("show");
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(
        new RegExp(`^token ${ownerOf("32").subject}: used 700 of 20000, reserved 0, resets `),
      ),
      expect.stringMatching(new RegExp(`^token ${ownerOf("31").subject}: used 500 of 20000`)),
      "",
    ]);
    const done = await run("reset", "--token-ids", "32, 33", "--scope", "both");
    expect(done.stdout).toBe("token: 1 window cleared\ncrypto: 0 windows cleared\n");
    expect(done.stderr).toContain("quotas reset");
    expect((await run("show")).stdout).not.toContain(ownerOf("32").subject);
    const [entry] = await database.auditEntry.findMany({ orderBy: { atMs: "desc" }, take: 1 });
    expect(entry?.clientId).toMatch(/^command-line:./);
    expect(JSON.parse(entry!.detail)).toMatchObject({
      mode: "ids",
      tokenIds: ["32", "33"],
      deleted: { token: 1 },
    });

    for (const parameters of [["reset", "--all", "--token-ids", "1"], ["show", "--count", "0"], ["clear"]]) {
      await expect(run(...parameters), parameters.join(" ")).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining("Usage:"),
      });
    }
  },
);
