import { expect } from "@playwright/test";
import { expectAccessible } from "~e2e/support/browser/journey";
import { expectFocusKept, pressByKeyboard } from "~e2e/support/browser/keyboard";
import { themes } from "~e2e/shots/pages-shots";
import { test } from "~e2e/support/browser/relay-site";

test("a pairing shows its code, in words too, waits, and can be cancelled", async ({
  page,
  context,
  site,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: site.server.baseUrl,
  });
  // WalletConnect's check of this site's name. Nothing answers it here.
  const verify = "https://verify.walletconnect.org/";
  await context.route(`${verify}**`, (route) => route.fulfill({ status: 404 }));
  const foreign: string[] = [];
  page.on("request", (request) => foreign.push(request.url()));
  page.on("websocket", (socket) => foreign.push(socket.url()));
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await dialog.getByRole("button", { name: /^WalletConnect/ }).click();
  const code = dialog.getByRole("img", { name: "Pairing code" });
  await expect(code).toBeVisible({ timeout: 20_000 });
  // Scanners need a dark code on light ground in every theme.
  const fill = (part: string) => code.locator(part).evaluate((element) => getComputedStyle(element).fill);
  for (const [theme, media] of Object.entries(themes)) {
    await page.emulateMedia({ contrast: "no-preference", forcedColors: "none", ...media });
    const fills = [await fill(".pairing-light"), await fill(".pairing-dark")];
    expect(fills, theme).toEqual(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
  }
  const link = dialog.getByRole("link", { name: "Wallet on this device" });
  const uri = await link.getAttribute("href");
  expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?/);
  // By keyboard from here, because the focused button was replaced by the code.
  await expectFocusKept(page, "the pairing code");
  await pressByKeyboard({ page, goal: dialog.getByRole("button", { name: "Copy the link" }) });
  await expect(dialog.getByText("Copied. Paste it where your wallet scans codes.")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(uri);
  await expectAccessible(page, "the pairing code");
  expect(site.relay.asked).toContain("wc_proposeSession");
  const known = [site.server.baseUrl, site.relay.url, verify];
  expect(
    foreign
      .filter((url) => url.startsWith("http") || url.startsWith("ws"))
      .filter((url) => !known.some((origin) => url.startsWith(origin))),
  ).toEqual([]);

  await pressByKeyboard({ page, goal: dialog.getByRole("button", { name: "Choose another wallet" }) });
  await expect(code).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: /^WalletConnect/ })).toBeFocused();
});
