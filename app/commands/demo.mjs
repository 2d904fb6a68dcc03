// Everything at once, for a first look: packages, database, local chain, key contract, build, server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { startDemoSite } from "../demo/demo-site.mjs";
import { defaultDataDir, defaultPort } from "../platform/config/environment-file.mjs";
import { isTextFormat, toTextLine } from "../platform/log/text-line.mjs";
import { endWithNpm, prepare, projectDir, requireNode } from "./prepare.mjs";

/** The npm package brings its build and has no sources. */
const hasSources = existsSync(path.join(projectDir, "server.ts"));
requireNode();
if (hasSources) await prepare();
const { openDemoChain } = await import("./demo-chain.mjs");

const dataDir = path.resolve(process.env.DATA_DIR || path.join(defaultDataDir, "demo"));
const port = await findPort();
const sitePort = /** @type {number} */ (
  (await listenOnce((Number(port) % 65_535) + 1)) ?? (await listenOnce(0))
);
const { chain, contract, env } = await openDemoChain({
  dataDir,
  mode: "demo",
  origin: `http://localhost:${port}`,
});
if (hasSources) {
  console.log("Building (the first time takes a few seconds) …");
  const { buildIfNeeded } = await import("./build.mjs");
  await buildIfNeeded();
}

const server = spawn(process.execPath, [path.join(projectDir, "app/commands/demo-server.mjs")], {
  // Its standard input is what it ends with, should this process be killed.
  stdio: ["pipe", "pipe", "inherit"],
  env: {
    ...env,
    NODE_ENV: "production",
    LOG_FORMAT: "json",
    PORT: port,
    // The second site's proxy is in this process.
    TRUST_PROXY: env.TRUST_PROXY || "loopback",
    DOOR_HOSTS: `localhost:${sitePort}=key`,
  },
});

const site = await startDemoSite({ port: sitePort, gatePort: Number(port) });

/** Somebody else on the default port is no reason to fail a first look; a port that was asked for is kept to. */
async function findPort() {
  const asked = Number(process.env.PORT || defaultPort);
  if (process.env.PORT && asked !== 0) return String(asked);
  const free = (await listenOnce(asked)) ?? (await listenOnce(0));
  if (free !== asked && asked !== 0) console.log(`Port ${asked} is taken, so another one is used.`);
  return String(free);
}

/** The port, or null where it is taken. */
async function listenOnce(/** @type {number} */ port) {
  return await new Promise((resolve) => {
    const probe = net.createServer().once("error", () => resolve(null));
    probe.listen({ port, host: "127.0.0.1" }, () => {
      const { port: found } = /** @type {net.AddressInfo} */ (probe.address());
      probe.close(() => resolve(found));
    });
  });
}

let isStopping = false;
async function stop(exitCode) {
  if (isStopping) return;
  isStopping = true;
  server.kill("SIGTERM");
  await site.stop();
  if (server.exitCode === null && server.signalCode === null) await once(server, "close");
  await chain.stop();
  process.exit(exitCode);
}
endWithNpm();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void stop(0));
server.once("close", (code) => void stop(code ?? 1));

// The server's own log tells when it listens and where; the rest of it is passed on.
const isText = isTextFormat(process.env.LOG_FORMAT);
let isOpen = false;
createInterface({ input: server.stdout }).on("line", (line) => {
  const isOpening = !isOpen && line.includes('"server ready"');
  if (isOpening) announce(JSON.parse(line).port);
  else if (isOpen || !line.includes('"level":"info"'))
    console.log(isText && line.startsWith("{") ? toTextLine(line) : line);
  isOpen ||= isOpening;
});

function announce(openPort) {
  const address = `http://localhost:${openPort}`;
  const client = hasSources
    ? "npm run -s client --"
    : `node ${path.join(projectDir, "app/commands/latchkey.mjs")} client`;
  // Only a secret that was made for this start is printed.
  const own = process.env.OPERATOR_SECRET ? "yours, from OPERATOR_SECRET" : env.OPERATOR_SECRET;
  console.log(`
  Latchkey is ready at   ${address}

  Key contract          ${contract.address}  (chain 31337, ${chain.rpcUrl})
  Get a key             open ${address}/gate, choose the demo wallet and press "Mint a key",
                        or from the command line:  ${client} mint --origin ${address}
  Operator's view       ${address}/operator   (secret: ${own || "none, it is switched off"})
  A site behind it      http://localhost:${sitePort}   (plain files; the key opens them: docs/door.md)
  API description       ${address}/api/openapi   (readable: ${address}/docs)

  Everything is kept in ${path.relative(process.cwd(), dataDir)}. Stop with Ctrl+C. What follows is the request log.
`);
}
