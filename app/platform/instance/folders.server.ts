import { mkdir, readdir } from "node:fs/promises";

/** The database contains personal texts, so only this user may read the folder. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isInTheWay = code === "EEXIST" || code === "ENOTDIR";
    const wayOut = isInTheWay
      ? "A file stands where a folder is needed. Move it away, or set DATA_DIR to another folder."
      : "Make the folder and give it to the user that runs Latchkey, or set DATA_DIR to a folder that may be written.";
    const message = `DATA_DIR: the folder ${dataDir} cannot be made (${code ?? "unknown reason"}). ${wayOut}`;
    throw new Error(message, { cause: error });
  }
}

/** Instructions if the folder is missing or empty, otherwise null. */
export async function describeMissingContent(contentDir: string): Promise<string | null> {
  const names = await readdir(contentDir).catch(() => []);
  if (names.length > 0) return null;
  return `CONTENT_DIR: there is nothing in ${contentDir}, so holders receive nothing. Write welcome.md (what they read), submission.html (the form), audio.json and styles.css there, and what the assistant may quote into its folder knowledge. In a clone of the project, \`npm run client -- content init\` writes a commented skeleton.`;
}
