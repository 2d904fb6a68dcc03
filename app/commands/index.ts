// Brings the embedded search in line with the knowledge folder, whether or not the server runs.
import { parseArgs } from "node:util";
import { loadEnvironmentFile } from "~/platform/config/environment-file.mjs";
import { loadConfig } from "~/settings.server";
import { indexKnowledge } from "~/search/index-knowledge.server";
import type { IndexReport } from "~/search/index-knowledge.server";
import { knowledgeFolder } from "~/search/knowledge-search.server";
import { createSearchFiles } from "~/search/search-files.store.server";
import { createSearchIndex } from "~/search/search-index.server";
import { createConfiguredEmbedder } from "~/services/search.server";
import { runCommand, runInSteps } from "./run-command";

const usage = `Usage: npm run index [-- options]

Reads <CONTENT_DIR>/knowledge, embeds what is new or changed, and drops what is gone. Takes up where a run ended that
was stopped. The server does the same by itself when it starts and when files change.

  --rebuild   delete the index first and build it again
  --help

Settings are read from the environment and from .env, as by npm start.
`;

await runCommand(usage, async () => {
  const { rebuild, help } = parseArgs({
    options: { rebuild: { type: "boolean", default: false }, help: { type: "boolean" } },
  }).values;
  if (help) return console.log(usage);
  loadEnvironmentFile();
  const config = loadConfig();
  const { contentDir, dataDir } = config.serving;
  if (config.search.pinecone) {
    console.error("PINECONE_API_KEY is set: the server searches there, and not in what is indexed now.");
  }
  const report = await runInSteps("pages", (onProgress, signal) =>
    indexKnowledge({
      folder: knowledgeFolder(contentDir),
      index: createSearchIndex(config.search.defaultAudience),
      files: createSearchFiles(dataDir),
      embedder: createConfiguredEmbedder(config),
      rebuild,
      signal,
      onProgress,
      onWait: () => console.error("Another process is indexing. Waiting for it to finish …"),
    }),
  );
  tell(report);
});

function tell({ indexed, unchanged, removed, passages, readers, broken }: IndexReport): void {
  console.log(
    `${count(indexed, "page")} indexed (${count(passages, "passage")}), ${unchanged} unchanged, ${removed} removed.`,
  );
  console.log(`Strangers can read ${count(readers.everyone, "page")}, holders ${readers.holders}.`);
  for (const { source, reason } of broken) console.error(`Omitted: ${source}: ${reason}.`);
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
