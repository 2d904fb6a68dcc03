// Writes .env.example and docs/settings.md from the rows of settings.
import { writeFileSync } from "node:fs";
import { renderEnvExample, renderSettingsPage } from "~/platform/config/render-settings";
import { settingGroups } from "~/settings.server";

writeFileSync(".env.example", renderEnvExample(settingGroups));
writeFileSync("docs/settings.md", renderSettingsPage(settingGroups));
