import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test as base,
  unfold,
} from "~e2e/support/browser/journey";
import { passTime, roomHeading } from "~e2e/support/browser/room-page";
import { openTcpSwitch } from "~e2e/support/browser/tcp-switch";
import type { TcpSwitch } from "~e2e/support/browser/tcp-switch";

const test = base;
/** Words of the demo's room. */
const gatedWords = ["lamp room", "keepers", "music box", "What did the night bring", "lighthouse"];

test("the entry shows the kinds of content and what is required, before any script", async ({
  browser,
  baseUrl,
}) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  const response = await page.goto("/gate");
  const preview = page.getByRole("region", { name: "What a key opens" });
  await expect(preview.getByRole("listitem")).toHaveText([
    ...["A welcome to read", "Something to listen to", "Send one message with your key"],
    "Something live from the host",
  ]);
  const needed = page.getByRole("region", { name: "What you need" }).getByRole("listitem");
  await expect(needed).toContainText(["Wallet connected", "Right network", "Key held", "Signed in"]);
  const sent = (await response?.text()) ?? "";
  for (const words of gatedWords) expect(sent, words).not.toContain(words);
  expect(response?.headers()["cache-control"]).toBe("no-store");
  await context.close();
});

test("a key is looked up without scripts, and refused in words", async ({ browser, baseUrl }) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/gate");
  await unfold(page, "Look up a key");
  await page.getByLabel("Key to look up").fill("987654");
  await page.getByRole("button", { name: "Look up" }).click();
  await expect(page).toHaveURL(/\/gate\?lookup=987654$/);
  await expect(page.getByRole("definition").filter({ hasText: "does not exist" })).toBeVisible();
  await expect(page.getByLabel("Key to look up")).toHaveValue("987654");
  await page.getByLabel("Key to look up").fill("seven");
  await page.getByRole("button", { name: "Look up" }).click();
  await expect(page.getByRole("alert")).toContainText("digits");
  await context.close();
});

test("the text to sign is shown word for word before the wallet opens", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  const explained = page.locator(".explained");
  await expect(explained.locator("pre")).toBeHidden();
  await explained.getByText("What you sign, word for word").click();
  await expect(explained).toContainText("nothing: no transaction, no fee");
  await expect(explained).toContainText("the room opens, and you stay signed in here");
  const shown = await explained.locator("pre").innerText();
  expect(wallet.signedTexts).toEqual([]);
  await enterRoom(page);
  const lines = (text: string) => text.split("\n").filter((line) => !/^(Nonce|Issued At): /.test(line));
  expect(lines(wallet.signedTexts[0] ?? "")).toEqual(lines(shown));
});

test("the focus moves to the field at fault, to the refusal, and to the next step @deep", async ({
  page,
  wallet,
  pageErrors,
}) => {
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: wallet.name }).press("Enter");
  await expect(page.locator("#wallet-account")).toBeFocused();
  await page.getByLabel("Number of the key").fill("seven");
  await page.getByRole("button", { name: "Sign in" }).press("Enter");
  await expect(page.getByLabel("Number of the key")).toBeFocused();
  await expectAccessible(page, "a field at fault");
  pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
  await page.getByLabel("Number of the key").fill("999999");
  await page.getByLabel("Number of the key").press("Enter");
  await expect(page.locator(".notice-place:focus")).toContainText("You do not own this token");
  await expect(page.locator(".notice-place:focus")).toContainText("There is no key with this id.");
  await expectAccessible(page, "no such key");
});

base.describe("on a server of its own", () => {
  const ownTest = base.extend<{ settings: Parameters<typeof startGateServer>[0]; server: GateServer }>({
    settings: {},
    server: async ({ settings }, use) => {
      const server = await startGateServer(settings);
      await use(server);
      await server.stop();
    },
    baseUrl: async ({ server }, use) => use(server.baseUrl),
    rpcUrl: async ({ server }, use) => use(server.rpcUrl),
  });

  ownTest.describe("with a low rate limit", () => {
    ownTest.use({ settings: { env: { RATE_LIMIT_GATE_ACCESS: "2/9" } } });
    ownTest(
      "a rate limit counts down, does not ask the wallet meanwhile, and then allows a retry @deep",
      async ({ page, wallet, pageErrors }) => {
        await page.goto("/gate");
        await connectWallet(page, wallet.name);
        await mintKey(page);
        pageErrors.expectRefusal({ path: "/api/gate-access", status: 401 });
        pageErrors.expectRefusal({ path: "/api/gate-access", status: 429 });
        // Uses up the limit of this page's address.
        await page.evaluate(async () => {
          const headers = { "Content-Type": "application/json" };
          for (const body of ["{}", "{}"]) await fetch("/api/gate-access", { method: "POST", body, headers });
        });
        await page.getByRole("button", { name: "Sign in" }).click();
        const refusal = page.getByRole("alert").filter({ hasText: "Too many requests" });
        await expect(refusal).toContainText(/You can try again in \d s\./);
        await expectAccessible(page, "too many requests");
        const signedBefore = wallet.signedTexts.length;
        await page.getByRole("button", { name: "Sign in" }).click();
        expect(wallet.signedTexts).toHaveLength(signedBefore);
        const again = refusal.getByRole("button", { name: "Try again" });
        await expect(again).toBeVisible();
        await expect(refusal).toContainText("You can try again now.");
        await expectAccessible(page, "requests again");
        await again.click();
        await expect(page.getByRole("heading", { name: roomHeading })).toBeVisible();
      },
    );
  });

  ownTest.describe("for members", () => {
    ownTest.use({
      settings: { keyDurationSeconds: 3600, env: { KEY_STANDARD: "unlock", CHAIN_POLL_SECONDS: "1" } },
    });
    ownTest(
      "a membership that expires closes the open room, and is refused at the gate @deep",
      async ({ page, wallet, pageErrors, rpcUrl }) => {
        await page.goto("/gate");
        await connectWallet(page, wallet.name);
        await mintKey(page);
        await enterRoom(page);
        await expect(page.getByText("Signed in for")).toBeVisible();
        await passTime(rpcUrl, 3601);
        const notice = page.locator(".notice-place:focus");
        await expect(notice).toContainText("The room has closed", { timeout: 20_000 });
        await expect(notice).toContainText(
          "The membership of this key has expired. Renew it, then sign in again.",
        );
        await expectAccessible(page, "the membership has ended");
        pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page.getByRole("alert")).toContainText("The membership of this key has expired.");
        await expectAccessible(page, "an expired key");
      },
    );
  });
});

base.describe("behind a connection that is cut and restored", () => {
  type CutSite = { server: GateServer; serverSwitch: TcpSwitch };
  const portOf = (url: string) => Number(new URL(url).port);

  const cutTest = base.extend<{ site: CutSite }>({
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    site: async ({}, use) => {
      const serverSwitch = await openTcpSwitch();
      const server = await startGateServer({
        env: { NEXT_PUBLIC_DOMAIN: `localhost:${serverSwitch.port}` },
      });
      serverSwitch.leadTo(portOf(server.baseUrl));
      await use({ server, serverSwitch });
      await server.stop();
      await serverSwitch.close();
    },
    baseUrl: async ({ site }, use) => use(`http://localhost:${site.serverSwitch.port}`),
    rpcUrl: async ({ site }, use) => use(site.server.rpcUrl),
  });

  cutTest(
    "an unreachable server is named as such, and the visitor goes on when it is back @deep",
    async ({ page, wallet, pageErrors, site }) => {
      const { server, serverSwitch } = site;
      await page.goto("/gate");
      await connectWallet(page, wallet.name);
      const tokenId = await mintKey(page);
      await page.waitForLoadState("networkidle");
      pageErrors.expectOutage();
      serverSwitch.leadTo(null);
      await unfold(page, "Look up a key");
      await page.getByLabel("Key to look up").fill("1");
      await page.getByRole("button", { name: "Look up" }).click();
      await expect(page.getByRole("alert")).toContainText("The server did not answer");
      await expect(page.getByRole("alert")).toContainText("Check your connection and try again.");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert").filter({ hasText: "The server did not answer" })).toHaveCount(2);
      await expectAccessible(page, "the server is away");
      expect(wallet.signedTexts).toEqual([]);

      serverSwitch.leadTo(portOf(server.baseUrl));
      await page.getByLabel("Key to look up").fill(tokenId);
      await page.getByRole("button", { name: "Look up" }).click();
      await expect(page.getByRole("definition").filter({ hasText: /^unused$/ })).toBeVisible();
      await enterRoom(page);
      await expect(page.getByRole("alert")).toHaveCount(0);
      expect(wallet.signedTexts).toHaveLength(1);
    },
  );
});
