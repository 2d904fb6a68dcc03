import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const sourceFolder = new URL("./", import.meta.url);
const artifactsFolder = new URL("./artifacts/", import.meta.url);

/** No metadata hash is appended, so comments and paths don't change the bytecode. */
const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
};

function readSources() {
  const fixtures = readdirSync(new URL("test-fixtures/", sourceFolder)).filter((name) =>
    name.endsWith(".sol"),
  );
  const paths = ["ChainProbe.sol", "LatchkeyKey.sol", ...fixtures.map((name) => `test-fixtures/${name}`)];
  return Object.fromEntries(
    paths.map((path) => [path, { content: readFileSync(new URL(path, sourceFolder), "utf8") }]),
  );
}

/** @param {string} path */
function findImport(path) {
  try {
    return { contents: readFileSync(require.resolve(path), "utf8") };
  } catch (cause) {
    return { error: `${path} cannot be read: ${String(cause)}` };
  }
}

/**
 * Compiles everything in this folder.
 *
 * @returns {Map<string, string>} file name in artifacts/ → the text it has to hold
 */
export function compileContracts() {
  // Loaded here and not above: the compiler is 9 MB, and takes a second to load.
  const solc = require("solc");
  const sources = readSources();
  const output = JSON.parse(
    solc.compile(JSON.stringify({ language: "Solidity", sources, settings }), { import: findImport }),
  );
  const faults = (output.errors ?? []).filter(
    (/** @type {{ type: string }} */ fault) => fault.type !== "Info",
  );
  if (faults.length > 0) {
    throw new Error(
      faults.map((/** @type {{ formattedMessage: string }} */ fault) => fault.formattedMessage).join("\n"),
    );
  }
  const artifacts = new Map();
  for (const path of Object.keys(sources)) {
    for (const [contractName, contract] of Object.entries(output.contracts[path])) {
      // An interface has no code.
      if (!contract.evm.bytecode.object) continue;
      const artifact = { contractName, abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
      artifacts.set(`${contractName}.json`, `${JSON.stringify(artifact, null, 2)}\n`);
    }
  }
  return artifacts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(artifactsFolder, { recursive: true, force: true });
  mkdirSync(artifactsFolder);
  for (const [name, text] of compileContracts()) {
    writeFileSync(new URL(name, artifactsFolder), text);
    console.log(`contracts/artifacts/${name}`);
  }
}
