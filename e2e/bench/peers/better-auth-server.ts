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
import { answerParent } from "../worker-process";

export type PluginSetup = {
  databaseFile: string;
  rpcUrl: string;
  contractAddress: Address;
  /** Whose key is whose, by address: the plugin's request does not name one. */
  keys: Record<Address, string>;
};

const keyAbi = parseAbi(["function ownerOf(uint256 tokenId) view returns (address)"]);

answerParent(startPluginServer);

/**
 * better-auth with its SIWE plugin on Node's own server, its tables in a SQLite file by the same driver with the same
 * settings. Its limits, which it has off outside production, its telemetry and its log are off. The one thing added is
 * what the other side does too: the owner of the key is asked for, in one call to the same chain.
 */
async function startPluginServer(setup: PluginSetup): Promise<{ port: number }> {
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
  return { port };
}

/** The driver is made to be used like better-sqlite3, for which the dialect is. */
function openSqlite(file: string): Sqlite.Database {
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  return database;
}
