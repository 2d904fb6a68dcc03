// Embeds changes in the knowledge folder, and names unusable pages. The server may run meanwhile.
import { parseArgs } from "node:util";
import { loadEnvironmentFile } from "~/platform/config/environment-file.mjs";
import { loadConfig } from "~/settings.server";
import { embedPassages, readFolder } from "~/search/index-knowledge.server";
import { listKnowledgeFiles } from "~/knowledge/knowledge-files.server";
import { knowledgeFolder } from "~/search/knowledge-search.server";
import { createSearchIndex } from "~/search/search-index.server";
import { createProviderEmbedder } from "~/platform/providers/provider-embedder.gateway.server";
import { runCommand, runInSteps } from "./run-command";

const usage = `Usage: latchkey index [options]

Reads <CONTENT_DIR>/knowledge, says who can read how many pages and which ones cannot be used. With EMBEDDING_MODEL it
embeds what is new or changed, and takes up where a run ended that was stopped. The server does the same by itself when
it starts and when files change.

  --rebuild   embed everything again
  --help

Settings are read from the environment and from .env, as by latchkey start. In the sources: npm run index -- [options].
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
  const folder = knowledgeFolder(contentDir);
  const index = createSearchIndex(config.search.defaultAudience);
  const { embedding } = config.search;
  // Without a model, the search compares words alone.
  const embedder = embedding && createProviderEmbedder(embedding);
  const { report, embedded } = await runInSteps("passages", async (onProgress, signal) => {
    const report = await readFolder({ folder, files: await listKnowledgeFiles(folder), index, signal });
    const onWait = () => console.error("Another process is embedding. Waiting for it to finish …");
    const run = { index, dataDir, rebuild, signal, onProgress, onWait };
    return { report, embedded: embedder && (await embedPassages({ ...run, embedder })) };
  });
  console.log(`${count(report.indexed, "page")} (${count(report.passages, "passage")}) can be found.`);
  if (embedded !== null) console.log(`${count(embedded, "passage")} embedded.`);
  const { everyone, holders } = report.readers;
  console.log(`Strangers can read ${count(everyone, "page")}, holders ${holders}.`);
  for (const { source, reason } of report.broken) console.error(`Omitted: ${source}: ${reason}.`);
});

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
