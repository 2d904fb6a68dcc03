// Writes .env.example from the one list of settings.
import { writeFileSync } from "node:fs";
import { renderEnvExample } from "~/platform/config/env-example";

writeFileSync(".env.example", renderEnvExample());
