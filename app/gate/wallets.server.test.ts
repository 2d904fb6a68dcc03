import { expect, test } from "vitest";
import { describeWallets, findWalletReach } from "./wallets.server";
import { parseConfig } from "~/settings.server";
import { ConfigError } from "~/platform/config/setting-reader";

const production = {
  CHAIN_ID: "8453",
  RPC_URL: "https://user:secret@rpc.example.com",
  KEY_CONTRACT_ADDRESS: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  JWT_SECRET: "9f2c41d07be86a35c1f4e0927d5ab368",
  NEXT_PUBLIC_DOMAIN: "gate.example.com",
};
const origin = "https://gate.example.com";
const projectId = "0123456789abcdef0123456789ABCDEF";

function problemsOf(environment: Record<string, string>): string {
  try {
    parseConfig({ ...production, ...environment });
    return "";
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join(" ");
    throw error;
  }
}

test("only the browser's own wallets are offered by default, and nothing is loaded for them", () => {
  const config = parseConfig(production);
  const told = describeWallets(config, origin);
  expect(told).toEqual({
    chain: { name: "Chain 8453", currency: "ETH", rpcUrl: null, explorerUrl: null },
    keyShopUrl: null,
    walletConnect: null,
    base: false,
  });
  expect(JSON.stringify(told)).not.toContain("secret");
  expect(findWalletReach(config)).toEqual({ connect: [], frame: [], opensWindows: false });
});

test("configured wallets are described to pages, which may reach exactly their addresses", () => {
  const config = parseConfig({
    ...production,
    CHAIN_NAME: "Base",
    KEY_SHOP_URL: "https://shop.example/keys",
    BASE_WALLET: "true",
    WALLETCONNECT_PROJECT_ID: projectId,
    CHAIN_WALLET_RPC_URL: "https://mainnet.example",
  });
  expect(describeWallets(config, origin)).toMatchObject({
    chain: { name: "Base", rpcUrl: "https://mainnet.example/" },
    keyShopUrl: "https://shop.example/keys",
    walletConnect: { projectId, relayUrl: "wss://relay.walletconnect.org" },
  });
  expect(findWalletReach(config)).toEqual({
    connect: ["wss://relay.walletconnect.org", "https://verify.walletconnect.org"],
    frame: ["https://verify.walletconnect.org"],
    opensWindows: true,
  });
});

test("the demo's wallets get the demo's own RPC address", () => {
  const config = parseConfig({
    LATCHKEY_MODE: "demo",
    KEY_CONTRACT_ADDRESS: production.KEY_CONTRACT_ADDRESS,
  });
  expect(describeWallets(config, "http://localhost:3000").chain).toMatchObject({
    name: "Latchkey demo chain",
    rpcUrl: "http://localhost:3000/demo/rpc",
  });
});

test("settings that wallets would refuse, and addresses nobody should see, are refused", () => {
  expect(problemsOf({ WALLETCONNECT_PROJECT_ID: projectId.slice(1) })).toContain("WALLETCONNECT_PROJECT_ID");
  expect(problemsOf({ CHAIN_WALLET_RPC_URL: "http://rpc.example" })).toContain("CHAIN_WALLET_RPC_URL");
  expect(problemsOf({ CHAIN_WALLET_RPC_URL: "https://u:p@rpc.example" })).toContain("must not hold");
  expect(problemsOf({ CHAIN_CURRENCY: "E" })).toContain("CHAIN_CURRENCY");
  expect(problemsOf({ CHAIN_NAME: "x".repeat(41) })).toContain("CHAIN_NAME");
  expect(problemsOf({ KEY_SHOP_URL: "javascript:alert(1)" })).toContain("KEY_SHOP_URL");
  expect(problemsOf({ BASE_WALLET: "perhaps" })).toContain("BASE_WALLET");
  expect(problemsOf({ CHAIN_NAME: "x".repeat(40), CHAIN_CURRENCY: "ABCDEFGHIJK" })).toBe("");
});
