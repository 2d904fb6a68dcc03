import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

/** Begins every secret that the repository itself ships or generates for the demo; production refuses it. */
export const demoSecretPrefix = "demo-";

export function refuseDemoSecret({
  reader,
  mode,
  name,
}: {
  reader: SettingReader;
  mode: "production" | "development" | "demo";
  name: SettingName;
}): void {
  if (mode === "production" && reader.findText(name)?.startsWith(demoSecretPrefix)) {
    reader.report(
      name,
      "holds a demo key, which production refuses. Generate one of your own: openssl rand -hex 32",
    );
  }
}
