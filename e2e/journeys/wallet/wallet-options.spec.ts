import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "@playwright/test";
import type { Page } from "@playwright/test";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import { expectAccessible } from "~e2e/support/browser/journey";
import { test as base } from "~e2e/support/browser/policy-check";
import { addWallet } from "~e2e/support/browser/wallet";

const shop = "https://keys.example/buy";
const projectId = "0123456789abcdef0123456789abcdef";

/** A production gate with every kind of wallet enabled, and a relay that drops every connection. */
const test = base.extend<object, { relay: { port: number; calls: string[] }; server: GateServer }>({
  relay: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const calls: string[] = [];
      const relay = createServer();
      relay.on("upgrade", (request, socket) => {
        calls.push(request.url ?? "");
        socket.destroy();
      });
      await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
      await use({ port: (relay.address() as AddressInfo).port, calls });
      relay.close();
    },
    { scope: "worker" },
  ],
  server: [
    async ({ relay }, use) => {
      const server = await startGateServer({
        mode: "production",
        env: {
          KEY_SHOP_URL: shop,
          CHAIN_NAME: "Example chain",
          CHAIN_WALLET_RPC_URL: "https://rpc.example/",
          CHAIN_EXPLORER_URL: "https://explorer.example/",
          WALLETCONNECT_PROJECT_ID: projectId,
          WALLETCONNECT_RELAY_URL: `ws://127.0.0.1:${relay.port}`,
          BASE_WALLET: "true",
        },
      });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

/** The page's requests to other sites, and every script it loads. */
function listen(page: Page, server: GateServer) {
  const foreign: string[] = [];
  const scripts: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== server.baseUrl) foreign.push(url.href);
    if (request.resourceType() === "script") scripts.push(url.pathname);
  });
  page.on("websocket", (socket) => foreign.push(socket.url()));
  return { foreign, scripts };
}

async function openDialog(page: Page, server: GateServer) {
  await page.goto(`${server.baseUrl}/gate`);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  return page.getByRole("dialog", { name: "Choose a wallet" });
}

test("no other server is contacted before WalletConnect is chosen, and its failure is explained", async ({
  page,
  server,
  relay,
}) => {
  await page.route("https://verify.walletconnect.org/**", (route) => route.fulfill({ status: 404 }));
  const { foreign, scripts } = listen(page, server);
  const before = relay.calls.length;
  const dialog = await openDialog(page, server);
  await expect(dialog.getByRole("button", { name: /^WalletConnect/ })).toContainText("by a code to scan");
  await expect(dialog.getByRole("button", { name: /^Base/ })).toContainText("keys.coinbase.com");
  await page.waitForLoadState("networkidle");
  await expectAccessible(page, "all ways to a wallet");
  expect(foreign).toEqual([]);
  expect(scripts.filter((script) => /wallet-connect|base-provider|pairing/.test(script))).toEqual([]);

  await dialog.getByRole("button", { name: /^WalletConnect/ }).click();
  await expect(dialog.getByText("WalletConnect is unreachable")).toBeVisible({ timeout: 30_000 });
  await expect(dialog.getByText("use a wallet in this browser")).toBeVisible();
  await expectAccessible(page, "WalletConnect is away");
  expect(scripts.filter((script) => /wallet-connect-provider/.test(script))).toHaveLength(1);
  expect(scripts.filter((script) => /base-provider/.test(script))).toEqual([]);
  expect(relay.calls.length).toBeGreaterThan(before);
  expect(relay.calls.at(-1)).toContain(`projectId=${projectId}`);
  // Only the relay and WalletConnect's check of this site's name. No analytics.
  const known = [`ws://127.0.0.1:${relay.port}`, "https://verify.walletconnect.org/"];
  const others = foreign.filter((address) => !known.some((start) => address.startsWith(start)));
  expect(others).toEqual([]);
});

test("Base opens its own window, loads its code only then, and can be cancelled @deep", async ({
  page,
  server,
  context,
}) => {
  const { scripts } = listen(page, server);
  await context.route("https://keys.coinbase.com/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Base</title>" }),
  );
  const dialog = await openDialog(page, server);
  expect(scripts.filter((script) => /base-provider/.test(script))).toEqual([]);
  const opened = context.waitForEvent("page");
  await dialog.getByRole("button", { name: /^Base/ }).click();
  const window = await opened;
  await expect.poll(() => window.url()).toContain("https://keys.coinbase.com/connect");
  expect(scripts.filter((script) => /base-provider/.test(script))).toHaveLength(1);
  await expect(dialog.getByRole("status")).toContainText("Waiting for Base to confirm.");
  await window.close();
  await dialog.getByRole("button", { name: "Choose another wallet" }).click();
  await expect(dialog.getByRole("button", { name: /^WalletConnect/ })).toBeVisible();
});

test("pages may reach the wallets that are switched on, and nothing else", async ({
  request,
  server,
  relay,
}) => {
  const { headers } = await fetchHead(server.baseUrl);
  const policy = headers["content-security-policy"] ?? "";
  expect(policy).toContain(
    `connect-src 'self' ws://127.0.0.1:${relay.port} https://verify.walletconnect.org;`,
  );
  expect(policy).toContain("frame-src 'self' https://verify.walletconnect.org;");
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin-allow-popups");

  const plain = await fetchHead(process.env.E2E_BASE_URL ?? "");
  expect(plain.headers["content-security-policy"]).toContain("connect-src 'self';");
  expect(plain.headers["content-security-policy"]).toContain("frame-src 'self';");
  expect(plain.headers["cross-origin-opener-policy"]).toBe("same-origin");

  async function fetchHead(origin: string) {
    const answer = await request.get(`${origin}/gate`);
    return { headers: answer.headers() };
  }
});

test("the landing page links to where keys are sold, in a tab of its own", async ({ page, server }) => {
  await page.goto(`${server.baseUrl}/`);
  const link = page.getByRole("link", { name: /^Get a key/ });
  await expect(link).toHaveAttribute("href", shop);
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await expect(link).toHaveAccessibleName(/opens in a new tab/);
});

test("a wallet without a key is shown where keys are sold, and the network by its name @deep", async ({
  page,
  server,
}) => {
  const { rpcUrl, chainId } = server;
  const wallet = await addWallet({ page, rpcUrl, chainId, startsOn: 1, knowsChain: false });
  const dialog = await openDialog(page, server);
  await dialog.getByRole("button", { name: wallet.name }).click();
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  await expect(page.getByText("Keys are tokens of the contract")).toContainText("on Example chain");
  await expect(page.getByRole("link", { name: /^Get a key/ })).toHaveAttribute("href", shop);
  await expectAccessible(page, "where keys are to be had");
  await page.getByRole("button", { name: "Switch network" }).click();
  await expect(page.getByText("The wallet is on chain 1")).toHaveCount(0);
  expect(wallet.added).toEqual([
    expect.objectContaining({
      chainName: "Example chain",
      rpcUrls: ["https://rpc.example/"],
      blockExplorerUrls: ["https://explorer.example/"],
    }),
  ]);
});
