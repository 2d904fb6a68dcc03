import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const projectDir = fileURLToPath(new URL("..", import.meta.url));
const prisma = path.join(projectDir, "node_modules/prisma/build/index.js");

/** Up to where the engine is needed, which is not part of the package. */
function askForStatus(environment: Record<string, string>): string {
  const prepared = { CHECKPOINT_DISABLE: "1", PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true" };
  const env = { ...process.env, ...prepared, ...environment };
  const call = spawnSync(process.execPath, [prisma, "migrate", "status"], {
    cwd: projectDir,
    env,
    encoding: "utf8",
  });
  return `${call.stdout}${call.stderr}`;
}

test("Prisma's own commands find the schema, the migrations and the database of the settings", () => {
  const standard = askForStatus({ DATABASE_URL: "", DATA_DIR: "/tmp/latchkey data" });
  expect(standard).toContain("prisma/schema.prisma");
  expect(standard).toContain('SQLite database "latchkey.db" at "file:///tmp/latchkey data/latchkey.db"');
  const postgresql = askForStatus({ DATABASE_URL: "postgresql://u:p@localhost:5/gate" });
  expect(postgresql).toContain("prisma/.generated/postgresql.prisma");
  expect(postgresql).toContain('PostgreSQL database "gate"');
});
