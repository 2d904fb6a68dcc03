import { mkdir, stat } from "node:fs/promises";

/** The database holds what people wrote: nobody else on this machine reads the folder. */
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

/** For the operator, where there is no such folder; null where there is. */
export async function describeMissingContent(contentDir: string): Promise<string | null> {
  const found = await stat(contentDir).catch(() => null);
  if (found?.isDirectory()) return null;
  return `CONTENT_DIR: there is no folder ${contentDir}, so holders receive nothing. Make it, or set CONTENT_DIR to the one you have.`;
}
