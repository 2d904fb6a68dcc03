// The demo's server, in this very process; it leaves in good order when the demo is gone, a killed one included.
import { endWithStarter } from "../../contracts/end-with-starter.mjs";
import { projectDir } from "./prepare.mjs";

process.chdir(projectDir);
endWithStarter(() => process.kill(process.pid, "SIGTERM"));
await import(new URL("../../build/server/index.js", import.meta.url));
