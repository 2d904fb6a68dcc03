// Writes .env.example and the README's configuration tables from the one list of settings.
import { readFileSync, writeFileSync } from "node:fs";
import { renderEnvExample } from "~/platform/config/env-example";
import { renderSettingsTable, withSettingsTable } from "~/platform/config/settings-table";

writeFileSync(".env.example", renderEnvExample());
const readme = readFileSync("README.md", "utf8");
writeFileSync("README.md", withSettingsTable({ text: readme, table: renderSettingsTable() }));
