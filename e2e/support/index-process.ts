// Indexes a knowledge folder as `npm run index` does, in a process that can be killed. Prints the texts it embeds, a
// line each, and at the end the report.
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createCollectionStore } from "~/search/collections.store.server";
import { indexKnowledge } from "~/search/index-knowledge.server";
import { openSearchDatabase } from "~/search/search-database.store.server";
import { createWordEmbedder } from "./word-embedder";

const [folder = "", file = "", pauseMs = "0"] = process.argv.slice(2);
const ofWords = createWordEmbedder();
const database = openSearchDatabase({ file });
const report = await indexKnowledge({
  folder,
  store: createCollectionStore(database, "holders"),
  lock: database,
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
await database.close();
