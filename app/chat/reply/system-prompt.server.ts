import { readFile } from "node:fs/promises";
import path from "node:path";

const builtInPrompt =
  "You are the assistant of this site. Help its visitors briefly and truthfully. When a question may be answered by the operator's documents, search them first and name your sources. Say so when you do not know.";

/** The operator's words to the model: the setting, else `system-prompt.md` in the content folder, else our own. */
export function createSystemPromptReader(setting: string | null, contentDir: string) {
  let cached: Promise<string> | null = setting === null ? null : Promise.resolve(setting);

  async function readFromFile(): Promise<string> {
    // For a second: reading it for every answer costs more than what else opens one.
    setTimeout(() => (cached = null), 1_000).unref();
    try {
      const text = await readFile(path.join(contentDir, "system-prompt.md"), "utf8");
      return text.trim() || builtInPrompt;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return builtInPrompt;
      throw error;
    }
  }
  return (): Promise<string> => (cached ??= readFromFile());
}
