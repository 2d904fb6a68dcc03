import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { toNodeHandler } from "better-auth/node";
import { siwe } from "better-auth/plugins/siwe";
import { SqliteDialect } from "kysely";
import Sqlite from "libsql";
import { createPublicClient, http, parseAbi, verifyMessage } from "viem";
import type { Address, Hex } from "viem";
import { listen } from "~/platform/http/connection/http-server.server";
import { servePeer } from "../peer-process";

export type PluginSetup = {
  databaseFile: string;
  rpcUrl: string;
  contractAddress: Address;
  /** Token IDs by their holder: the plugin's request doesn't name one. */
  keys: Record<Address, string>;
};

const keyAbi = parseAbi(["function ownerOf(uint256 tokenId) view returns (address)"]);

servePeer(startPluginServer);

/**
 * better-auth's SIWE plugin on Node's HTTP server and a SQLite file, with the same driver and settings as the gate. Its
 * limits, telemetry and log are off. Added: one call to the same chain for the key's owner, as the gate makes it.
 */
async function startPluginServer(setup: PluginSetup): Promise<number> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  const port = await listen(server, "127.0.0.1", 0);
  const { databaseFile, rpcUrl, contractAddress, keys } = setup;
  const chain = createPublicClient({ transport: http(rpcUrl) });
  const auth = betterAuth({
    baseURL: `http://localhost:${port}`,
    secret: randomBytes(32).toString("hex"),
    database: { dialect: new SqliteDialect({ database: openSqlite(databaseFile) }), type: "sqlite" },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: "error" },
    plugins: [
      siwe({
        domain: `localhost:${port}`,
        getNonce: async () => randomBytes(16).toString("hex"),
        verifyMessage: async ({ message, signature, address }) => {
          const wallet = address as Address;
          if (!(await verifyMessage({ address: wallet, message, signature: signature as Hex }))) return false;
          const tokenId = keys[wallet];
          if (tokenId === undefined) return false;
          const args = [BigInt(tokenId)] as const;
          const call = { address: contractAddress, abi: keyAbi, functionName: "ownerOf", args } as const;
          return (await chain.readContract(call)) === wallet;
        },
      }),
    ],
  });
  await (await getMigrations(auth.options)).runMigrations();
  const handle = toNodeHandler(auth);
  answer = (request, response) => void handle(request, response);
  return port;
}

/** The driver has the interface of better-sqlite3, which the dialect expects. */
function openSqlite(file: string): Sqlite.Database {
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  return database;
}
