// The demo's server, in this process; it shuts down when the demo is gone, also after a kill.
import { endWithStarter } from "../../contracts/end-with-starter.mjs";

endWithStarter(() => process.kill(process.pid, "SIGTERM"));
await import(new URL("../../build/index.js", import.meta.url));
