import { existsSync } from "node:fs";
import { cp, readdir } from "node:fs/promises";
import path from "node:path";
import { installationDir } from "~/platform/config/installation.server";

const skeleton = path.join(installationDir, "app/commands/content-skeleton");

/** Writes a commented content folder. Keeps existing files. */
export async function initContent(folder: string) {
  const names = (await readdir(skeleton, { recursive: true })).filter((name) => path.extname(name)).sort();
  const kept = names.filter((name) => existsSync(path.join(folder, name)));
  await cp(skeleton, folder, { recursive: true, force: false });
  return { folder, written: names.filter((name) => !kept.includes(name)), kept };
}
