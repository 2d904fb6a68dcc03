import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The demo's content, which test servers use by default. */
export const demoContent = fileURLToPath(new URL("../../app/demo/content", import.meta.url));

/** Copies the knowledge pages to a separate content folder, each for holders, to measure only the search. */
export async function copyKnowledge(contentDir: string): Promise<void> {
  const [from, to] = [path.join(demoContent, "knowledge"), path.join(contentDir, "knowledge")];
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    const text = await readFile(path.join(from, name), "utf8");
    await writeFile(path.join(to, name), text.replace(/^audience: .+$/m, "audience: holders"));
  }
}
