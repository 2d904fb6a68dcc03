// Generates both database clients into app/generated, without downloading anything.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { projectDir, readSchemas, writeSchemas } from "./schemas.mjs";

const require = createRequire(import.meta.url);
const generatedDir = path.join(projectDir, "app/generated");
const stampPath = path.join(generatedDir, "inputs.sha256");

const schemas = readSchemas();
const stamp = hashInputs();

if (isUpToDate()) {
  console.log("The database clients are up to date.");
} else {
  rmSync(generatedDir, { recursive: true, force: true });
  writeSchemas();
  for (const schema of Object.values(schemas)) generateClient(schema.path);
  // Written last: an interrupted run leaves no stamp and is repeated.
  writeFileSync(stampPath, stamp);
  console.log("Generated the database clients in app/generated.");
}

function hashInputs() {
  const { version } = require("prisma/package.json");
  return createHash("sha256")
    .update(JSON.stringify([version, schemas]))
    .digest("hex");
}

function isUpToDate() {
  const clients = Object.keys(schemas).map((provider) => path.join(generatedDir, provider, "client.ts"));
  return clients.every(existsSync) && existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp;
}

function generateClient(schemaPath) {
  const { bin } = require("prisma/package.json");
  const cli = path.join(path.dirname(require.resolve("prisma/package.json")), bin.prisma);
  try {
    execFileSync(process.execPath, [cli, "generate", "--schema", schemaPath, "--no-hints"], {
      cwd: projectDir,
      encoding: "utf8",
      stdio: "pipe",
      env: {
        ...process.env,
        // Naming any existing file keeps Prisma from fetching its migration engine, which generating never runs.
        PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
        CHECKPOINT_DISABLE: "1",
        PRISMA_HIDE_UPDATE_MESSAGE: "1",
      },
    });
  } catch (error) {
    throw new Error(`prisma generate failed for ${schemaPath}:\n${error.stdout ?? ""}${error.stderr ?? ""}`, {
      cause: error,
    });
  }
}
