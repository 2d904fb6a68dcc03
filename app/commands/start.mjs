// Production: `npm run build` made the server, this runs it in this very process, so that signals reach it.
import { existsSync } from "node:fs";
import { endWithNpm, projectDir } from "./prepare.mjs";

process.chdir(projectDir);
if (!existsSync("build/index.js")) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
if (existsSync(".env")) process.loadEnvFile(".env");
// The server takes other modes too; this command is production, whatever is set.
const mode = process.env.LATCHKEY_MODE;
if (mode && mode !== "production") {
  console.error("`npm start` is production. Unset LATCHKEY_MODE, or use `npm run demo` or `npm run dev`.");
  process.exit(78);
}
process.env.NODE_ENV = "production";
endWithNpm();
await import("../../build/index.js");
