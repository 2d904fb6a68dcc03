// Embeds a knowledge folder as `npm run index` does, in a process that can be killed. Prints each embedded text on a
// line, and their number at the end.
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { runIndex } from "./run-index";
import { createWordEmbedder } from "./word-embedder";

const [folder = "", dataDir = "", pauseMs = "0"] = process.argv.slice(2);
const ofWords = createWordEmbedder();
const { embedded } = await runIndex({
  folder,
  dataDir,
  embedder: {
    ...ofWords,
    async embed(call) {
      // Synchronous, so a begun text leaves this process before it can be killed.
      for (const text of call.texts) writeSync(1, `${JSON.stringify(text)}\n`);
      await pause(Number(pauseMs));
      return ofWords.embed(call);
    },
  },
});
writeSync(1, `${embedded}\n`);
