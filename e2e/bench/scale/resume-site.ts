import { startTestChain } from "~e2e/support/chain/chain";
import { startServer } from "~e2e/support/running-server";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import { mintKeys } from "../bench-keys";
import { benchSettings } from "../bench-site";
import type { Target } from "../costs/operation";
import { signInOnce } from "../sign-in";
import { startWorkerProcess } from "../worker-process";
import type { ReadersAnswer, ReadersOrder } from "./chat-readers-process";
import type { ModelAnswer, ModelOrder } from "./model-process";
import { openStoredBytes } from "./stored-bytes";
import type { StoredBytes } from "./stored-bytes";

type Closers = (() => Promise<unknown>)[];

/** A server on a database of its own, and those who may ask it. */
export type ResumeServer = {
  database: "SQLite" | "PostgreSQL";
  url: string;
  pid: number;
  headers: Record<string, string>;
  /** Of as many keys, which ask in turns. */
  accessTokens: readonly string[];
  storedBytes: StoredBytes;
};
export type ResumeSite = {
  servers: readonly ResumeServer[];
  model: (order: ModelOrder) => Promise<ModelAnswer>;
  readers: (order: ReadersOrder) => Promise<ReadersAnswer>;
};

/** Answers are deleted so soon after their end that a sweep can be waited for. */
const keptForSeconds = 10;

/** A thousand at once wait longer for a connection to the database than a visitor should. */
const settings = {
  ...benchSettings,
  AI_PROVIDER: "local",
  AI_CHAT_MAX_DURATION: "120",
  AI_CHAT_QUOTA_TOKENS: "1000000000",
  NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
  CHAT_RESUME_SECONDS: String(keptForSeconds),
  CHAT_RESUME_OPEN: "1000",
  DATABASE_CONNECT_SECONDS: "60",
  JWT_ACCESS_TTL: "7200",
};

type OpenOptions = { closers: Closers; nodeOptions?: readonly string[] };

export async function openResumeSite({ closers, nodeOptions }: OpenOptions): Promise<ResumeSite> {
  const model = startWorkerProcess<ModelOrder, ModelAnswer>("scale/model-process.ts");
  closers.push(model.stop);
  const readers = startWorkerProcess<ReadersOrder, ReadersAnswer>("scale/chat-readers-process.ts");
  closers.push(readers.stop);
  const started = await model.ask({ order: "start" });
  if (!("baseUrl" in started)) throw new Error("The model did not start.");
  const chain = await startTestChain();
  closers.push(chain.stop);
  const holders = await mintKeys(chain);
  const postgresql = await startPostgresql();
  closers.push(() => postgresql.stop());
  const postgresqlUrl = await postgresql.createDatabase();
  const env = {
    RPC_URL: chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: chain.key.address,
    AI_BASE_URL: started.baseUrl,
    ...settings,
  };

  async function open(database: ResumeServer["database"]): Promise<ResumeServer> {
    const own = database === "PostgreSQL" ? { DATABASE_URL: postgresqlUrl } : {};
    const server = await startServer({ env: { ...env, ...own }, nodeOptions });
    closers.push(server.stop);
    const target: Target = {
      port: server.port,
      chainId: chain.chainId,
      accessToken: "",
      operatorCookie: "",
      holders,
      needsSignatures: true,
      takeUnusedKeys: () => [],
    };
    const accessTokens: string[] = [];
    for (const holder of holders) accessTokens.push((await signInOnce(target, holder)).answer.accessToken);
    const storedBytes = await openStoredBytes(server.databaseUrl);
    closers.push(storedBytes.close);
    return {
      database,
      url: `http://127.0.0.1:${server.port}/api/chat`,
      pid: server.pid,
      headers: { Host: `localhost:${server.port}` },
      accessTokens,
      storedBytes,
    };
  }

  const servers = [await open("SQLite"), await open("PostgreSQL")];
  return { servers, model: model.ask, readers: readers.ask };
}
