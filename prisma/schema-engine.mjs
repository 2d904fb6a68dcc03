// Prisma's schema engine in its WebAssembly build. It compares schemas without the native engine, which a network with
// only a package registry can't fetch. It is undocumented, so it is pinned and for development only.
import { readFileSync, readdirSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import Sqlite from "libsql";
import pg from "pg";
import { projectDir, readSchemas } from "./schemas.mjs";

let engineIsLoaded = false;

/** The package imports its .wasm file like a module, which Node does not do without a flag. */
function loadEngine() {
  if (engineIsLoaded) return;
  const glue = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const wasm = readFileSync(path.join(path.dirname(glue), "schema_engine_bg.wasm"));
  const instance = new globalThis.WebAssembly.Instance(new globalThis.WebAssembly.Module(wasm), {
    "./schema_engine_bg.js": bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  engineIsLoaded = true;
}

export function listMigrations(provider) {
  const dir = path.join(projectDir, "prisma/migrations", provider);
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => ({ name, sql: readFileSync(path.join(dir, name, "migration.sql"), "utf8") }));
}

/**
 * The SQL missing from a provider's migrations. Null if they match the schema. `shadowUrl` names an empty database that
 * may be filled and discarded.
 */
export async function findMissingSql({ provider, shadowUrl, migrations = listMigrations(provider) }) {
  const scripts = migrations.map((migration) => migration.sql);
  if (provider === "sqlite") replayOnSqlite({ shadowUrl, scripts });
  else await replayOnPostgresql({ shadowUrl, scripts });

  const { path: schemaPath, text } = readSchemas()[provider];
  const files = [{ path: schemaPath, content: text }];
  const { stdout } = await withEngine({
    provider,
    url: shadowUrl,
    work: (engine) =>
      engine.diff({
        from: { tag: "schemaDatasource", files, configDir: path.join(projectDir, "prisma") },
        to: { tag: "schemaDatamodel", files },
        script: true,
        exitCode: null,
        filters: noFilters,
      }),
  });
  const script = stdout.trim();
  return script === "" || script.startsWith("-- This is an empty migration") ? null : `${script}\n`;
}

/** The migrations that `prisma migrate deploy` would apply. Rejects when it would refuse the history instead. */
export async function findUnappliedMigrations({ provider, url, migrations = listMigrations(provider) }) {
  const { editedMigrationNames, failedMigrationNames, history } = await withEngine({
    provider,
    url,
    work: (engine) =>
      engine.diagnoseMigrationHistory({
        migrationsList: {
          baseDir: path.join(projectDir, "prisma/migrations", provider),
          lockfile: { path: "migration_lock.toml", content: `provider = "${provider}"` },
          shadowDbInitScript: "",
          migrationDirectories: migrations.map(({ name, sql }) => ({
            path: name,
            migrationFile: { path: "migration.sql", content: { tag: "ok", value: sql } },
          })),
        },
        optInToShadowDatabase: false,
        filters: noFilters,
      }),
  });
  const rejected = [...editedMigrationNames, ...failedMigrationNames];
  if (rejected.length > 0) throw new Error(`The history is refused because of ${rejected.join(", ")}.`);
  if (history === null) return [];
  if (history.diagnostic !== "databaseIsBehind")
    throw new Error(`The history is refused: ${history.diagnostic}.`);
  return history.unappliedMigrationNames;
}

const noFilters = { externalTables: [], externalEnums: [] };

async function withEngine({ provider, url, work }) {
  loadEngine();
  const schema = readSchemas()[provider];
  const { factory, close } = createAdapterFactory({ provider, url });
  const engine = await bindings.SchemaEngine.new(
    { datamodels: [[schema.path, schema.text]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(factory),
  );
  try {
    return await work(engine);
  } finally {
    engine.free();
    await close();
  }
}

function replayOnSqlite({ shadowUrl, scripts }) {
  const shadow = new Sqlite(sqlitePath(shadowUrl));
  try {
    for (const script of scripts) shadow.exec(script);
  } finally {
    shadow.close();
  }
}

function sqlitePath(url) {
  return url.startsWith("file:///") ? fileURLToPath(url) : url.slice("file:".length);
}

async function replayOnPostgresql({ shadowUrl, scripts }) {
  const shadow = new pg.Client({ connectionString: shadowUrl });
  await shadow.connect();
  try {
    for (const script of scripts) await shadow.query(script);
  } finally {
    await shadow.end();
  }
}

function createAdapterFactory({ provider, url }) {
  if (provider === "sqlite") {
    return { factory: new SchemaAdapter({ url }), close: async () => {} };
  }
  const pool = readCatalogTypesAsText(new pg.Pool({ connectionString: url }));
  return { factory: new PrismaPg(pool), close: () => pool.end() };
}

/** The engine quotes an index's name like a column, which libSQL does not accept as text. */
class SchemaAdapter extends PrismaLibSql {
  createClient(config) {
    const client = super.createClient(config);
    const execute = client.execute.bind(client);
    const quoteName = (sql) => sql.replace(/(?<= AND name = )"(\w+)"/, "'$1'");
    client.execute = (statement) => execute({ ...statement, sql: quoteName(statement.sql) });
    return client;
  }
}

/** PostgreSQL's catalog has columns of type "char" and "char"[], which the adapter refuses to read. */
function readCatalogTypesAsText(pool) {
  const { builtins } = pg.types;
  const textTypes = new Map([
    [builtins.CHAR, builtins.TEXT],
    [1002, 1009],
  ]);
  const query = pool.query.bind(pool);
  pool.query = async (request) => {
    const { types } = request;
    const getTypeParser = (oid, format) => types.getTypeParser(textTypes.get(oid) ?? oid, format);
    const result = await query({ ...request, types: { getTypeParser } });
    for (const field of result.fields) field.dataTypeID = textTypes.get(field.dataTypeID) ?? field.dataTypeID;
    return result;
  };
  return pool;
}
