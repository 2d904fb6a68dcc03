// Brings the embedded search in line with the knowledge folder, whether or not the server runs.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { loadConfig } from "~/settings.server";
import { createCollectionStore } from "~/search/collections.store.server";
import { indexKnowledge } from "~/search/index-knowledge.server";
import type { IndexReport } from "~/search/index-knowledge.server";
import { knowledgeFolder, searchFile } from "~/search/knowledge-search.server";
import { openSearchDatabase } from "~/search/search-database.store.server";
import { createConfiguredEmbedder } from "~/services/search.server";
import { createProgressBar } from "./index/progress-bar";

const usage = `Usage: npm run index [-- options]

Reads <CONTENT_DIR>/knowledge, embeds what is new or changed, and drops what is gone. Takes up where a run ended that
was stopped. The server does the same by itself when it starts and when files change.

  --rebuild   forget everything first and make it anew
  --help

Settings are read from the environment and from .env, as by npm start.
`;

class UsageError extends Error {}

function readOptions() {
  try {
    return parseArgs({
      options: {
        rebuild: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function main(): Promise<void> {
  const { rebuild, help } = readOptions();
  if (help) return console.log(usage);
  if (existsSync(".env")) process.loadEnvFile(".env");
  const config = loadConfig();
  const { contentDir, dataDir } = config.serving;
  if (config.search.pinecone) {
    console.error("PINECONE_API_KEY is set: the server searches there, and not in what is indexed now.");
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const database = openSearchDatabase({ file: searchFile(dataDir) });
  const bar = createProgressBar(process.stderr);
  try {
    const report = await indexKnowledge({
      folder: knowledgeFolder(contentDir),
      store: createCollectionStore(database),
      lock: database,
      embedder: createConfiguredEmbedder(config),
      rebuild,
      signal: stop.signal,
      onProgress: bar.show,
      onWait: () => console.error("Another process is indexing. Waiting for it to finish …"),
    });
    bar.end();
    tell(report);
  } catch (error) {
    bar.end();
    if (!stop.signal.aborted) throw error;
    console.error("Stopped. The next run goes on from here.");
    process.exitCode = 130;
  } finally {
    await database.close();
  }
}

function tell({ indexed, unchanged, removed, passages, broken }: IndexReport): void {
  console.log(
    `${count(indexed, "page")} indexed (${count(passages, "passage")}), ${unchanged} unchanged, ${removed} removed.`,
  );
  for (const { source, reason } of broken) console.error(`Left out: ${source}: ${reason}.`);
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}

await main().catch((error: unknown) => {
  const isMistake = error instanceof UsageError;
  console.error(`${(error as Error).message}${isMistake ? `\n\n${usage}` : ""}`);
  process.exitCode = isMistake ? 2 : 1;
});
