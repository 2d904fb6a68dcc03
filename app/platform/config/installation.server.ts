import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Holds the files that come with Latchkey. Settings, content and data are in the current folder, which may be another. */
export const installationDir = findInstallation(path.dirname(fileURLToPath(import.meta.url)));

/** Sources and the build are at different depths. */
function findInstallation(folder: string): string {
  return existsSync(path.join(folder, "package.json")) ? folder : findInstallation(path.dirname(folder));
}
