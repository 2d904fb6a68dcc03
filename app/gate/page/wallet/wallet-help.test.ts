import { expect, test } from "vitest";
import { isPhone, walletLinks } from "./wallet-dialog";

test("a link opens this very page in each wallet's app", () => {
  const page = "https://gate.example:8443/gate?a=1&b=ü";
  const links = walletLinks(new URL(page).href);
  expect(links.map(({ name }) => name)).toEqual([
    ...["MetaMask", "Base (Coinbase Wallet)", "Trust Wallet", "OKX Wallet", "Phantom"],
  ]);
  const [metaMask, ...others] = links.map(({ href }) => href);
  expect(metaMask).toBe("https://link.metamask.io/dapp/gate.example:8443/gate?a=1&b=%C3%BC");
  for (const href of others) {
    expect(new URL(href).protocol).toBe("https:");
    expect(decodeURIComponent(decodeURIComponent(decodeURIComponent(href)))).toContain(page);
  }
});

test("phones and tablets are recognised, one that says it is a Mac included", () => {
  const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15";
  expect(isPhone({ userAgent: "Mozilla/5.0 (Linux; Android 15)", maxTouchPoints: 5 })).toBe(true);
  expect(isPhone({ userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", maxTouchPoints: 5 })).toBe(true);
  expect(isPhone({ userAgent: mac, maxTouchPoints: 5 })).toBe(true);
  expect(isPhone({ userAgent: mac, maxTouchPoints: 0 })).toBe(false);
  expect(isPhone({ userAgent: "Mozilla/5.0 (Windows NT 10.0)", maxTouchPoints: 10 })).toBe(false);
});
