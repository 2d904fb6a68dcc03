import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** @type {Record<string, string>} */
const anvilPackages = {
  "darwin-arm64": "@foundry-rs/anvil-darwin-arm64",
  "darwin-x64": "@foundry-rs/anvil-darwin-amd64",
  "linux-arm64": "@foundry-rs/anvil-linux-arm64",
  "linux-x64": "@foundry-rs/anvil-linux-amd64",
  "win32-x64": "@foundry-rs/anvil-win32-amd64",
};

/** A problem of the local chain that the user can fix. The message says how. */
export class LocalChainError extends Error {
  /** @override */
  name = "LocalChainError";
}

/** package.json lists every platform's package in this version, and npm installs the fitting one. */
const anvilVersion = "1.7.1";

/** @param {{ platform?: string, arch?: string }} [where] */
function findAnvilPackage({ platform = process.platform, arch = process.arch } = {}) {
  return anvilPackages[`${platform}-${arch}`] ?? null;
}

/**
 * Finds anvil among the installed packages. Nothing is ever downloaded.
 *
 * @param {{ platform?: string, arch?: string, resolve?: (path: string) => string }} [where]
 * @returns {string}
 */
export function getAnvilBinary({
  platform = process.platform,
  arch = process.arch,
  resolve = createRequire(import.meta.url).resolve,
} = {}) {
  const packageName = findAnvilPackage({ platform, arch });
  if (!packageName) {
    throw new LocalChainError(
      `There is no local chain for ${platform} on ${arch}. Use another chain: set RPC_URL, CHAIN_ID and KEY_CONTRACT_ADDRESS.`,
    );
  }
  try {
    const folder = dirname(resolve(`${packageName}/package.json`));
    const binary = join(folder, "bin", platform === "win32" ? "anvil.exe" : "anvil");
    if (existsSync(binary)) return binary;
  } catch {
    // Reported below, like a package without its binary.
  }
  throw new LocalChainError(
    `The local chain is not installed: run "npm install --no-save ${packageName}@${anvilVersion}".`,
  );
}
