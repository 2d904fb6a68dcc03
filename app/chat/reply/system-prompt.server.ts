import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "~/platform/clock";

const builtInPrompt =
  "You are the assistant of this site. Help its visitors briefly and truthfully. When a question may be answered by the operator's documents, search them first and name your sources. Say so when you do not know.";

/** How soon a change of the file is seen: reading it for every answer costs more than the rest of its opening. */
const cachedMs = 1_000;

type PromptOptions = { setting: string | null; contentDir: string; clock: Clock };

/** The operator's words to the model: the setting, else `system-prompt.md` in the content folder, else our own. */
export function createSystemPromptReader({ setting, contentDir, clock }: PromptOptions) {
  let cached: { prompt: Promise<string>; readAtMs: number } | null = null;

  async function readPrompt(): Promise<string> {
    try {
      const text = await readFile(path.join(contentDir, "system-prompt.md"), "utf8");
      return text.trim() || builtInPrompt;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return builtInPrompt;
      throw error;
    }
  }

  return function readSystemPrompt(): Promise<string> {
    if (setting !== null) return Promise.resolve(setting);
    const nowMs = clock();
    if (cached === null || nowMs - cached.readAtMs >= cachedMs) {
      cached = { prompt: readPrompt(), readAtMs: nowMs };
    }
    return cached.prompt;
  };
}
