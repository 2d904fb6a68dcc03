import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseConfig, problemsOf, production } from "~e2e/support/config";

const { CHAIN_ID: _, RPC_URL, KEY_CONTRACT_ADDRESS, ...rest } = production;
const folder = mkdtempSync(path.join(os.tmpdir(), "latchkey-keys-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

const contract = KEY_CONTRACT_ADDRESS;
const founder = { name: "founder", title: "Founder's key", standard: "erc4907", chainId: 10, contract };
const patron = {
  name: "patron",
  title: "Patrons",
  standard: "membership",
  chainId: 31337,
  requires: { native: true, chainId: 10, atLeast: "1" },
};

function writeFile(value: unknown): string {
  const file = path.join(folder, "keys.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
}

const twoChains = () => ({
  ...rest,
  KEYS_FILE: writeFile({ chains: { 10: {}, 31337: {} }, keys: [founder, patron] }),
  RPC_URL_10: "https://ten.example.com/hunter2, https://other.example.com",
  RPC_URL_31337: "http://127.0.0.1:8545",
});

test("a file of keys is a switch of its own", () => {
  const isOn = (environment: Record<string, string>) =>
    parseConfig(environment).switches.find(({ name }) => name === "Kinds of keys from a file")?.isOn;
  expect(isOn(twoChains())).toBe(true);
  expect(isOn(production)).toBe(false);
});

test("without a file the four settings make one kind, called by the name of the place", () => {
  const { keys, chains, addressLists } = parseConfig({ ...production, BRAND_NAME: "Salon" });
  const lower = contract.toLowerCase();
  expect(keys).toEqual({
    areNamed: false,
    list: [
      {
        name: "key",
        title: "Salon",
        standard: "erc721",
        chainId: 8453,
        contract: lower,
        keptUnder: { chainId: 8453, contractAddress: lower },
        delegation: "none",
        delegatesMayUse: false,
        requirement: null,
        opens: ["room", "chat", "tts", "tools"],
      },
    ],
  });
  expect(chains).toEqual([{ id: 8453, rpcUrls: [RPC_URL], keyUseConfirmations: 1 }]);
  expect(addressLists).toEqual([]);
});

test("a file names kinds and chains, whose addresses are settings of their own", () => {
  const { keys, chains, warnings } = parseConfig(twoChains());
  expect(keys.areNamed).toBe(true);
  expect(keys.list.map(({ name }) => name)).toEqual(["founder", "patron"]);
  expect(chains).toEqual([
    {
      id: 10,
      rpcUrls: ["https://ten.example.com/hunter2", "https://other.example.com"],
      keyUseConfirmations: 1,
    },
    { id: 31337, rpcUrls: ["http://127.0.0.1:8545"], keyUseConfirmations: 0 },
  ]);
  expect(warnings).toEqual(["KEYS_FILE names a local test chain: anybody can make keys there."]);
  const { chains: deeper } = parseConfig({ ...twoChains(), KEY_USE_CONFIRMATIONS: "3" });
  expect(deeper.map(({ keyUseConfirmations }) => keyUseConfirmations)).toEqual([3, 3]);
});

test.each(["CHAIN_ID", "RPC_URL", "KEY_CONTRACT_ADDRESS"] as const)("%s is refused beside a file", (name) => {
  expect(problemsOf({ ...twoChains(), [name]: production[name] })).toEqual([
    `${name} must not be set beside KEYS_FILE, which says it for each kind.`,
  ]);
});

test("KEY_STANDARD is refused beside a file", () => {
  expect(problemsOf({ ...twoChains(), KEY_STANDARD: "unlock" })).toHaveLength(1);
});

test("mistakes of the file and of its chains' addresses are listed with all others, without a value", () => {
  const problems = problemsOf({
    ...twoChains(),
    RPC_URL_31337: "ftp://hunter2",
    RPC_URL_10: ",",
    RPC_URL_5: "https://hunter2.example.com",
    RPC_URL_BASE: "https://hunter2.example.com",
    PORT: "seventy",
  });
  expect(problems).toEqual([
    "PORT must be a whole number from 0 to 65535.",
    "RPC_URL_10 must list at least one address.",
    "RPC_URL_31337 must list addresses that begin with https:// or http://.",
    "KEYS_FILE chains: does not list the chain of RPC_URL_5.",
    "KEYS_FILE chains: does not list the chain of RPC_URL_BASE.",
  ]);
});

test("addresses of single chains count for nothing without a file, and that is said", () => {
  expect(parseConfig({ ...production, RPC_URL_10: "https://hunter2.example.com" }).warnings).toEqual([
    "KEYS_FILE is not set, so these count for nothing: RPC_URL_10.",
  ]);
});
