import { runsOnPostgresql } from "./support/databases/chosen-database";
import { setup as startPostgresql } from "./support/databases/start-postgresql.mjs";
import { startGateServer } from "./support/browser/gate-server";

/** Runs once before all journeys. The returned function runs once after them. */
// eslint-disable-next-line import-x/no-default-export -- Playwright calls the default export.
export default async function setUp(): Promise<() => Promise<void>> {
  const stopPostgresql = runsOnPostgresql ? await startPostgresql() : () => Promise.resolve();
  try {
    const server = await startGateServer();
    process.env.E2E_BASE_URL = server.baseUrl;
    process.env.E2E_RPC_URL = server.rpcUrl;
    process.env.E2E_CONTRACT = server.contractAddress;
    return async () => {
      await server.stop();
      await stopPostgresql();
    };
  } catch (error) {
    await stopPostgresql();
    throw error;
  }
}
