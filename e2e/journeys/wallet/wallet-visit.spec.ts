import { connectWallet, expect, test } from "~e2e/support/browser/journey";

test("the server shows the wallet of the last visit, for display only, and the page does not flicker", async ({
  page,
  wallet,
  request,
  context,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  const [cookie] = (await context.cookies()).filter(({ name }) => name === "latchkey_wallet");
  expect(cookie).toMatchObject({ sameSite: "Lax", path: "/", httpOnly: false });

  const rendered = await request.get("/gate", { headers: { Cookie: `latchkey_wallet=${cookie?.value}` } });
  const html = await rendered.text();
  expect(html).toContain(`Connecting again with ${wallet.name} as`);
  expect(html).toContain(wallet.address());
  expect(rendered.headers()["cache-control"]).toBe("no-store");

  // The sign-in form never shows between the server's page and the connected wallet.
  await page.addInitScript(() => {
    const seen = ((window as unknown as { seen: string[] }).seen = [] as string[]);
    new MutationObserver(() => {
      for (const heading of document.querySelectorAll("h2")) seen.push(heading.textContent ?? "");
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.reload();
  await expect(page.getByText(`Connected with ${wallet.name}`)).toBeVisible();
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen).toContain("Open the room with a key");
  expect(seen).not.toContain("Connect your wallet");

  await page.getByRole("button", { name: "Disconnect" }).click();
  await expect(page.getByRole("button", { name: "Connect", exact: true })).toBeVisible();
  expect((await context.cookies()).filter(({ name }) => name === "latchkey_wallet")).toEqual([]);
});

test("a forged or broken cookie shows and opens nothing", async ({ request }) => {
  const address = `0x${"1".repeat(40)}`;
  const forged = [
    "latchkey_wallet=",
    "latchkey_wallet=%",
    "latchkey_wallet=%7B%7D",
    `latchkey_wallet=${encodeURIComponent(JSON.stringify(["id", "Name", "0x12"]))}`,
    `latchkey_wallet=${encodeURIComponent(JSON.stringify(["id", "x".repeat(41), address]))}`,
  ];
  for (const cookie of forged) {
    const answer = await request.get("/gate", { headers: { Cookie: cookie } });
    expect(answer.status()).toBe(200);
    expect(await answer.text(), cookie).not.toContain("Connecting again");
  }
  const markup = encodeURIComponent(JSON.stringify(["id", "</script><script>x</script>", address]));
  const answer = await request.get("/gate", { headers: { Cookie: `latchkey_wallet=${markup}` } });
  const html = await answer.text();
  expect(html).toContain("Connecting again with &lt;/script&gt;");
  expect(html).not.toContain("</script><script>x");
});
