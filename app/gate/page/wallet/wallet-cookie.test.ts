import { expect, test } from "vitest";
import { readWalletCookie, renderWalletCookie } from "./wallet-cookie";

const wallet = {
  id: "eip6963:a.example",
  name: "Mine; Max-Age=0 ü",
  address: `0x${"aB".repeat(20)}`,
} as const;

test("a saved wallet is restored, whatever it calls itself", () => {
  const cookie = renderWalletCookie(wallet, true);
  expect(cookie.split("; ").slice(1)).toEqual(["Path=/", "Max-Age=2592000", "SameSite=Lax", "Secure"]);
  expect(readWalletCookie(`a=1; ${cookie.split("; ")[0]}; b=2`)).toEqual(wallet);
});

test("a forgotten wallet is not restored", () => {
  expect(renderWalletCookie(null, false)).toBe("latchkey_wallet=; Path=/; Max-Age=0; SameSite=Lax");
});

test("a cookie that is not exactly of its shape is ignored", () => {
  const { id, name, address } = wallet;
  const shapes: unknown[] = [
    null,
    {},
    [],
    [id, name],
    [id, name, address, 1],
    [1, name, address],
    [id, "", address],
  ];
  shapes.push([id, name, `${address}0`], [id, name, `0x${"g".repeat(40)}`], [id, "a\nb", address]);
  shapes.push([id, "x".repeat(41), address], ["x".repeat(101), name, address]);
  for (const shape of shapes) {
    expect(readWalletCookie(`latchkey_wallet=${encodeURIComponent(JSON.stringify(shape))}`)).toBeNull();
  }
  const raw = [undefined, "", "latchkey_wallet=", "latchkey_wallet=%", "latchkey_wallet=[1", "other=1"];
  for (const cookies of raw) expect(readWalletCookie(cookies)).toBeNull();
  expect(
    readWalletCookie(`latchkey_wallet=${encodeURIComponent(JSON.stringify(["i", "x".repeat(40), address]))}`),
  ).not.toBeNull();
});
