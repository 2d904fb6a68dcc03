import pg from "pg";
import { keepAliveInitialDelayMillis } from "./keep-alive";
import { explainConnectFault } from "./postgresql-connect-fault.server";

const connectTimeoutMs = 10_000;

/** One connection without Prisma. What keeps it from being made is said in the operator's words where it is about encryption. */
export async function connectPostgresql(url: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis,
    });
    // Without a listener a connection that breaks between two statements would end the process.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  } catch (error) {
    throw explainConnectFault(error);
  }
}
