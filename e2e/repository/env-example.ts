// Writes .env.example and docs/settings.md from the rows of settings.
import { writeFileSync } from "node:fs";
import { settingGroups } from "~/settings.server";
import { renderEnvExample, renderSettingsPage } from "./render-settings";

writeFileSync(".env.example", renderEnvExample(settingGroups));
writeFileSync("docs/settings.md", renderSettingsPage(settingGroups));
