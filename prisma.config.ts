// For Prisma's own commands, such as `npx prisma studio` and `npx prisma migrate status`. The server does not read it.
import { existsSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "prisma/config";
import { readDatabaseUrl } from "./app/platform/database/database-url.server";
import { writeSchemas } from "./prisma/schemas.mjs";

if (existsSync(".env")) process.loadEnvFile(".env");

// `||`: an empty setting is none, as for the server.
const dataDir = process.env["DATA_DIR"] || "data";
const database = readDatabaseUrl(process.env["DATABASE_URL"] || `file:${path.join(dataDir, "latchkey.db")}`);

export default defineConfig({
  schema: writeSchemas()[database.provider].path,
  migrations: { path: `prisma/migrations/${database.provider}` },
  // Studio knows SQLite by the two slashes; all commands take what follows them as it is.
  datasource: { url: database.provider === "sqlite" ? `file://${database.path}` : database.url },
});
