// Everything at once, for a first look: packages, database, local chain, key contract, build, server.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { prepare, projectDir } from "./prepare.mjs";

process.chdir(projectDir);
await prepare();
const { buildIfNeeded } = await import("./build.mjs");
const { startLocalChain, deployKeyContract } = await import("../../contracts/local-chain.mjs");

const dataDir = path.resolve(process.env.DATA_DIR ?? "data/demo");
mkdirSync(dataDir, { recursive: true });
const port = process.env.PORT ?? "3000";

console.log("Starting a local chain …");
const chain = await startLocalChain({ stateFile: path.join(dataDir, "chain.json"), log: console.log });
const contract = await deployKeyContract({ rpcUrl: chain.rpcUrl });
console.log("Building (the first time takes a few seconds) …");
await buildIfNeeded();

const server = spawn(process.execPath, ["--enable-source-maps", "build/index.js"], {
  cwd: projectDir,
  stdio: ["ignore", "pipe", "inherit"],
  env: {
    HOST: "127.0.0.1",
    LOG_LEVEL: "info",
    CHAIN_POLL_SECONDS: "1",
    ...process.env,
    NODE_ENV: "production",
    LATCHKEY_MODE: "demo",
    PORT: port,
    DATA_DIR: dataDir,
    CHAIN_ID: "31337",
    RPC_URL: chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: contract.address,
    KEY_STANDARD: "unlock",
  },
});

let isStopping = false;
async function stop(exitCode) {
  if (isStopping) return;
  isStopping = true;
  server.kill("SIGTERM");
  await new Promise((resolve) => (server.exitCode === null ? server.once("close", resolve) : resolve()));
  await chain.stop();
  process.exit(exitCode);
}
process.on("SIGINT", () => void stop(0));
process.on("SIGTERM", () => void stop(0));
server.once("close", (code) => void stop(code ?? 1));

// The server's own log tells when it listens and where; the rest of it is passed on.
let isOpen = false;
let rest = "";
server.stdout.on("data", (chunk) => {
  rest += chunk;
  const lines = rest.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (isOpen) console.log(line);
    else if (line.includes('"Latchkey is open"')) {
      isOpen = true;
      announce(JSON.parse(line).port);
    } else if (!line.includes('"level":"info"')) console.log(line);
  }
});

function announce(openPort) {
  const address = `http://localhost:${openPort}`;
  console.log(`
  Latchkey is open at   ${address}

  Key contract          ${contract.address}  (chain 31337, ${chain.rpcUrl})
  Get a key             open ${address}/gate, choose the demo wallet and press "Mint a key",
                        or from the command line:  npm run client -- mint --origin ${address} --rpc ${chain.rpcUrl}
  API description       ${address}/api/openapi   (readable: ${address}/docs)

  Everything is kept in ${path.relative(process.cwd(), dataDir)}. Stop with Ctrl+C. What follows is the request log.
`);
}
