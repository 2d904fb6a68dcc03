import { startGateServer } from "~e2e/support/browser/gate-server";
import type { DescribedChain, GateServer } from "~e2e/support/browser/gate-server";
import { findFreePort } from "~e2e/support/free-port";
import { startDoorSite } from "~e2e/support/browser/door-site";
import type { DoorSite } from "~e2e/support/browser/door-site";
import {
  connectWallet,
  expect,
  expectAccessible,
  mintKey,
  patienceMs,
  test as base,
} from "~e2e/support/browser/journey";

/** A key, and a membership without members. */
function describeKeys({ chainId, contractAddress: contract }: DescribedChain): Promise<unknown> {
  const fortune = { native: true, chainId, atLeast: `1${"0".repeat(30)}`, label: "A fortune" };
  return Promise.resolve({
    chains: { [chainId]: {} },
    keys: [
      { name: "key", title: "Key", standard: "erc721", chainId, contract },
      { name: "rich", title: "Rich", standard: "membership", chainId, requires: { all: [fortune] } },
    ],
  });
}

/** In these journeys, leaving the gate for the site is intended. */
const test = base.extend<object, { server: GateServer & { site: DoorSite; other: DoorSite } }>({
  server: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const [port, otherPort] = [await findFreePort(), await findFreePort()];
      const server = await startGateServer({
        env: { DOOR_HOSTS: `127.0.0.1:${port}=key,127.0.0.1:${otherPort}=rich` },
        describeKeys,
      });
      const site = await startDoorSite(port, server.baseUrl);
      const other = await startDoorSite(otherPort, server.baseUrl);
      await use({ ...server, site, other });
      site.stop();
      other.stop();
      await server.stop();
    },
    { scope: "worker" },
  ],
  baseUrl: async ({ server }, use) => use(server.baseUrl),
  rpcUrl: async ({ server }, use) => use(server.rpcUrl),
  pageErrors: async ({ page }, use) => {
    const faults: string[] = [];
    const expected: number[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      const isExpected = expected.some((status) => message.text().includes(`status of ${status}`));
      if (message.type() === "error" && !isExpected) faults.push(message.text());
    });
    await use({ expectRefusal: ({ status }) => void expected.push(status), expectOutage: () => undefined });
    expect(faults).toEqual([]);
  },
});

test("a holder goes from a site through the gate and back, and signing out closes the site", async ({
  page,
  wallet,
  server: { site },
}) => {
  await page.goto(`${site.origin}/page?id=1#low`);
  await expect(page.getByRole("heading", { name: `On the way to ${site.host}` })).toBeVisible();
  await expectAccessible(page, "the gate on the way to a site");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { name: "The wiki" })).toBeVisible({ timeout: patienceMs });
  expect(page.url()).toBe(`${site.origin}/page?id=1#low`);
  await expect(page.getByText(/^0x[0-9a-f]{40}$/)).toBeVisible();

  // The site's cookie is lost, but the gate's session signs the visitor in again without a press.
  const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith("latchkey-door-"));
  expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, "Lax"]]);
  await page.context().clearCookies({ name: cookies[0]!.name });
  await page.goto(`${site.origin}/other`);
  await expect(page.getByText("/other")).toBeVisible({ timeout: patienceMs });

  await page.goto(`${site.origin}/.latchkey/leave`);
  await expect(page.getByRole("heading", { name: `You have left ${site.host}` })).toBeVisible();
  await page.getByRole("button", { name: "Sign out here too" }).click();
  await expect(page.getByText("You are not signed in here.")).toBeVisible({ timeout: patienceMs });
  await page.goto(`${site.origin}/page`);
  await expect(page.getByRole("heading", { name: `On the way to ${site.host}` })).toBeVisible();
});

test("who has another kind of key is told which one opens the site, and what is missing", async ({
  page,
  wallet,
  pageErrors,
  server: { other },
}) => {
  pageErrors.expectRefusal({ path: "/session", status: 403 });
  await page.goto(`${other.origin}/page`);
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  const card = page.getByRole("region", { name: `On the way to ${other.host}` });
  await expect(card.getByText("A fortune")).toBeVisible({ timeout: patienceMs });
  await expect(card.getByText("“Rich”")).toBeVisible();
  await expect(card.getByRole("button", { name: "Sign in with another key" })).toBeVisible();
  await expectAccessible(page, "the gate to who has another kind of key");
});

test("a browser that keeps no cookie of the site is told so, after a few rounds", async ({
  page,
  wallet,
  pageErrors,
  server: { baseUrl, site },
}) => {
  pageErrors.expectRefusal({ path: "/session", status: 429 });
  site.loseCookies();
  await page.goto(`${site.origin}/page`);
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByText("The site's cookie is not kept")).toBeVisible({ timeout: patienceMs });
  expect(new URL(page.url()).origin).toBe(baseUrl);
  await expect(page.getByText("Allow cookies for the site")).toBeVisible();
  await expect(page.getByRole("link", { name: `Open ${site.host}` })).toHaveAttribute(
    "href",
    `${site.origin}/page`,
  );
  await expectAccessible(page, "the gate when a site's cookie is not kept");
});

test("an address on no site is said, and leads nowhere", async ({ page, baseUrl, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/gate", status: 400 });
  const response = await page.goto("/gate?door=https://evil.example/&start=a");
  expect(response?.status()).toBe(400);
  await expect(page.getByText("This site isn't protected by this gate")).toBeVisible();
  expect(new URL(page.url()).origin).toBe(baseUrl);
});
