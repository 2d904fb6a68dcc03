import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import express from "express";
import type { RequestHandler } from "express";
import { createKeyStore } from "~/gate/ownership/keys.store.server";
import type { KeyRef } from "~/gate/kinds/token-id";
import { createNonceStore } from "~/gate/proofs/nonces.store.server";
import { PrismaClient } from "~/generated/sqlite/client";
import { systemClock } from "~/platform/time/clock";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { listen } from "~/platform/http/connection/http-server.server";
import { servePeer } from "../peer-process";

export type PlainSetup = {
  databaseUrl: string;
  key: KeyRef;
  holder: string;
  /** The real server's response to an access token, so that the same bytes travel. */
  accessBody: string;
};

const clientId = "127.0.0.1";
const proofHash = `0x${"1b".repeat(32)}`;

/** An ordinary Express application on Prisma's stock libSQL adapter: the operation's statements and nothing else. */
servePeer(async ({ databaseUrl, key, holder, accessBody }: PlainSetup) => {
  await migrateDatabase({ url: databaseUrl, migrationsDir: "prisma/migrations" });
  const database = new PrismaClient({ adapter: new PrismaLibSql({ url: databaseUrl }) });
  // The same durability as the real server's single statements.
  await database.$queryRaw`PRAGMA journal_mode=WAL`;
  await database.$executeRaw`PRAGMA synchronous=NORMAL`;
  const nonces = createNonceStore(database, systemClock);
  const keys = createKeyStore(database);

  const app = express();
  app.disable("x-powered-by");
  app.get(
    "/api/nonce",
    answering(async (_request, response) => {
      const nonce = randomBytes(16).toString("hex");
      await nonces.issueNonce({ value: nonce, clientId, ttlSeconds: 300 });
      response.json({ nonce });
    }),
  );
  app.get(
    "/api/token-status/:tokenId",
    answering(async (request, response) => {
      const { tokenId } = request.params;
      const used = (await keys.findUsedKey({ key: { ...key, tokenId: tokenId! } })) !== null;
      response.json({ tokenId, exists: true, count: 1, used });
    }),
  );
  app.post(
    "/api/gate-access",
    answering(async (_request, response) => {
      await keys.findKeyState({ key, holder, proofHash });
      response.type("json").send(accessBody);
    }),
  );
  app.get(
    "/api/door",
    answering(async (_request, response) => {
      await keys.findKeyState({ key, holder, proofHash });
      response.end();
    }),
  );
  return await listen(createServer(app), "127.0.0.1", 0);
});

function answering(handle: (...parameters: Parameters<RequestHandler>) => Promise<void>): RequestHandler {
  return (request, response, next) => void handle(request, response, next).catch(next);
}
