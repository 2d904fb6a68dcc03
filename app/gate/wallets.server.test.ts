import { expect, test } from "vitest";
import { describeWallets, findWalletReach, readWallets } from "./wallets.settings";
import { createSettingReader } from "~/platform/config/setting-reader";

const site = { origin: "https://gate.example.com", chainId: 8453, isDemo: false };
const projectId = "0123456789abcdef0123456789ABCDEF";

const parse = (environment: Record<string, string>) => readWallets(createSettingReader(environment));

function problemsOf(environment: Record<string, string>): string {
  const reader = createSettingReader(environment);
  readWallets(reader);
  return reader.problems.join(" ");
}

test("only the browser's own wallets are offered by default, and nothing is loaded for them", () => {
  const wallets = parse({});
  const told = describeWallets(wallets, site);
  expect(told).toEqual({
    chain: { name: "Chain 8453", currency: "ETH", rpcUrl: null, explorerUrl: null },
    keyShopUrl: null,
    walletConnect: null,
    base: false,
  });
  expect(findWalletReach(wallets)).toEqual({ connect: [], frame: [], opensWindows: false });
});

test("configured wallets are described to pages, which may reach exactly their addresses", () => {
  const wallets = parse({
    CHAIN_NAME: "Base",
    KEY_SHOP_URL: "https://shop.example/keys",
    BASE_WALLET: "true",
    WALLETCONNECT_PROJECT_ID: projectId,
    CHAIN_WALLET_RPC_URL: "https://mainnet.example",
  });
  expect(describeWallets(wallets, site)).toMatchObject({
    chain: { name: "Base", rpcUrl: "https://mainnet.example/" },
    keyShopUrl: "https://shop.example/keys",
    walletConnect: { projectId, relayUrl: "wss://relay.walletconnect.org" },
  });
  expect(findWalletReach(wallets)).toEqual({
    connect: ["wss://relay.walletconnect.org", "https://verify.walletconnect.org"],
    frame: ["https://verify.walletconnect.org"],
    opensWindows: true,
  });
});

test("the demo's wallets get the demo's own RPC address", () => {
  const demo = { origin: "http://localhost:3000", chainId: 31337, isDemo: true };
  expect(describeWallets(parse({}), demo).chain).toMatchObject({
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
