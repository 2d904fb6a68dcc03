// Stands between a program and its local chain. When the program dies, this process's standard input closes, and the
// chain ends. Otherwise a killed program would leave anvil running.
import { spawn } from "node:child_process";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { setInterval } from "node:timers";
import { endWithStarter } from "./end-with-starter.mjs";

const killAfterMs = 5_000;
const keepStateEveryMs = 1_000;

/** @type {{ binary: string, args: string[], stateFile?: string, dumpFile?: string }} */
const { binary, args, stateFile, dumpFile } = JSON.parse(process.argv[2] ?? "{}");

const chain = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });

let output = "";
let isListening = false;
let keptMtimeMs = 0;
let keptText = "";

/** @param {Record<string, unknown>} message One line of JSON on standard output for each event. */
function tell(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function endChain() {
  chain.kill("SIGTERM");
  setTimeout(() => chain.kill("SIGKILL"), killAfterMs).unref();
}

/**
 * Anvil writes its dump in place, so a power cut would leave half a file. Here it dumps beside the state file, and only
 * a complete dump replaces that, in one step.
 */
function keepState() {
  if (!stateFile || !dumpFile) return;
  try {
    const { mtimeMs } = statSync(dumpFile);
    if (mtimeMs === keptMtimeMs) return;
    const text = readFileSync(dumpFile, "utf8");
    JSON.parse(text);
    keptMtimeMs = mtimeMs;
    if (text === keptText) return;
    const temporary = `${stateFile}.tmp`;
    const handle = openSync(temporary, "w");
    writeSync(handle, text);
    fsyncSync(handle);
    closeSync(handle);
    renameSync(temporary, stateFile);
    keptText = text;
  } catch (error) {
    // There is no dump yet, or it is incomplete: the next round takes it.
    const isExpected =
      error instanceof SyntaxError || /** @type {{ code?: string }} */ (error).code === "ENOENT";
    if (!isExpected) tell({ event: "state-not-kept", reason: String(error) });
  }
}

function readOutput(/** @type {Buffer} */ chunk) {
  if (isListening) return;
  output = (output + chunk.toString("utf8")).slice(-8_192);
  const port = /Listening on [^\s]*:(\d+)\s/.exec(output)?.[1];
  if (!port) return;
  isListening = true;
  tell({ event: "listening", port: Number(port), pid: chain.pid });
}

chain.stdout.on("data", readOutput);
chain.stderr.on("data", readOutput);
chain.on("error", (error) => {
  tell({ event: "failed", reason: error.message });
  process.exitCode = 1;
});
chain.on("close", (code, signal) => {
  keepState();
  tell({ event: "ended", code, signal, output: isListening ? "" : output.trim() });
  process.exit(0);
});

if (stateFile) setInterval(keepState, keepStateEveryMs).unref();
endWithStarter(endChain);
process.on("SIGTERM", endChain);
process.on("SIGINT", endChain);
process.on("SIGHUP", endChain);
// The program may die while we write to it. The chain must end all the same.
process.stdout.on("error", endChain);
