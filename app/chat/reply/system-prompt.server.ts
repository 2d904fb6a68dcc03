import { readFile } from "node:fs/promises";
import path from "node:path";

const builtInPrompt =
  "You are the assistant of this site. Help its visitors briefly and truthfully. When a question may be answered by the operator's documents, search them first and name your sources. Say so when you do not know.";

/** The operator's setting, else `system-prompt.md` in the content folder, else the built-in prompt. */
export async function readSystemPrompt(setting: string | null, contentDir: string): Promise<string> {
  if (setting !== null) return setting;
  try {
    const text = await readFile(path.join(contentDir, "system-prompt.md"), "utf8");
    return text.trim() || builtInPrompt;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return builtInPrompt;
    throw error;
  }
}
