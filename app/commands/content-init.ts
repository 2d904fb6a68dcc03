import { existsSync } from "node:fs";
import { cp, readdir } from "node:fs/promises";
import path from "node:path";
import { installationDir } from "~/platform/config/installation.server";

const skeleton = path.join(installationDir, "app/commands/content-skeleton");

/** A commented beginning of a content folder. Leaves every file that exists as it is. */
export async function initContent(folder: string) {
  const names = (await readdir(skeleton, { recursive: true })).filter((name) => path.extname(name)).sort();
  const kept = names.filter((name) => existsSync(path.join(folder, name)));
  await cp(skeleton, folder, { recursive: true, force: false });
  return { folder, written: names.filter((name) => !kept.includes(name)), kept };
}
