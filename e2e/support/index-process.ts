// Indexes a knowledge folder as `npm run index` does, in a process that can be killed. Prints the texts it embeds, a
// line each, and at the end the report.
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { indexKnowledge } from "~/search/index-knowledge.server";
import { createSearchFiles } from "~/search/search-files.store.server";
import { createSearchIndex } from "~/search/search-index.server";
import { createWordEmbedder } from "./word-embedder";

const [folder = "", dataDir = "", pauseMs = "0"] = process.argv.slice(2);
const ofWords = createWordEmbedder();
const report = await indexKnowledge({
  folder,
  index: createSearchIndex("holders"),
  files: createSearchFiles(dataDir),
  embedder: {
    ...ofWords,
    async embed(call) {
      // Synchronously: what was begun must have left this process before it can be killed.
      for (const text of call.texts) writeSync(1, `${JSON.stringify(text)}\n`);
      await pause(Number(pauseMs));
      return ofWords.embed(call);
    },
  },
  signal: new AbortController().signal,
});
writeSync(1, `${JSON.stringify(report)}\n`);
