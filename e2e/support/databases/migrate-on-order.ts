// One of several server-like processes. It waits for a line on stdin, migrates, and prints the migrations it applied.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { migrateDatabase } from "~/platform/database/migrate.server";

const [url = "", migrationsDir = ""] = process.argv.slice(2);
const applied: string[] = [];
const lines = createInterface({ input: process.stdin });
process.stdout.write("ready\n");
await once(lines, "line");
lines.close();
await migrateDatabase({
  url,
  migrationsDir,
  log: { info: (fields) => applied.push(...(fields.migrations as string[])), warn: () => undefined },
});
process.stdout.write(`${JSON.stringify(applied)}\n`);
