import { expect, test } from "vitest";
import { addWallet, readAnnouncement, readInjected, tellApart } from "./announced-wallets";

const provider = {
  request: () => Promise.resolve(null),
  on: () => undefined,
  removeListener: () => undefined,
};
const icon = "data:image/png;base64,AAAA";

function read(info: Record<string, unknown>) {
  return readAnnouncement({
    info: { uuid: "u", rdns: "wallet.example", name: "Wallet", icon, ...info },
    provider,
  });
}

test("an announcement's name, picture and origin are read", () => {
  expect(read({})).toEqual({
    id: "eip6963:wallet.example",
    name: "Wallet",
    icon,
    origin: "wallet.example",
    provider,
  });
  expect(read({ rdns: "Wallet.Example" })?.id).toBe("eip6963:wallet.example");
  expect(read({ name: "  " })?.name).toBe("wallet.example");
});

test("pictures that load nothing are accepted up to a size, and no others", () => {
  for (const good of ["data:image/svg+xml,%3Csvg/%3E", "data:image/webp;base64,AA", " data:image/avif,x "]) {
    expect(read({ icon: good })?.icon).toBe(good.trim());
  }
  const bad = [
    "https://x.example/i.png",
    "data:text/html,x",
    "javascript:alert(1)",
    "data:image/x,y",
    7,
    null,
  ];
  for (const value of bad) expect(read({ icon: value })?.icon, String(value)).toBeNull();
  const head = "data:image/png,";
  expect(read({ icon: head.padEnd(120_000, "A") })?.icon).not.toBeNull();
  expect(read({ icon: head.padEnd(120_001, "A") })?.icon).toBeNull();
});

test("names are cleaned and cut between letters, not within them", () => {
  expect(read({ name: "Meta\u202eMask\u0000\u200b  two\n" })?.name).toBe("MetaMask two");
  expect([...(read({ name: "😀".repeat(40) })?.name ?? "")]).toHaveLength(40);
  const long = [...(read({ name: "😀".repeat(41) })?.name ?? "")];
  expect(long).toHaveLength(40);
  expect(long.at(-1)).toBe("…");
  expect(read({ name: "x".repeat(1_000_000) })?.name).toHaveLength(40);
});

test("malformed announcements are ignored without an error", () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error("No.");
      },
    },
  );
  for (const detail of [null, undefined, 7, {}, { info: {} }, hostile, { info: hostile, provider }]) {
    expect(readAnnouncement(detail)).toBeNull();
  }
  expect(readAnnouncement({ info: { rdns: "a.example", name: "A" }, provider: {} })).toBeNull();
  expect(read({ rdns: "" })).toBeNull();
  expect(read({ rdns: 7 })).toBeNull();
});

test("the first of an identity and each provider once are listed, up to the list's maximum", () => {
  const first = read({})!;
  const copy = { ...read({ name: "Copy" })!, provider: { ...provider } };
  const same = read({ rdns: "other.example" })!;
  expect(addWallet(addWallet([], first), copy)).toEqual([first]);
  expect(addWallet([first], same)).toEqual([first]);
  const many = Array.from({ length: 30 }, (_, index) => ({
    ...read({ rdns: `w${index}.example` })!,
    provider: { ...provider },
  }));
  expect(many.reduce(addWallet, [] as readonly (typeof first)[])).toHaveLength(24);
});

test("wallets that only inject themselves are named, one or several", () => {
  expect(readInjected(undefined)).toEqual([]);
  expect(readInjected({})).toEqual([]);
  expect(readInjected(provider)).toMatchObject([{ id: "injected", name: "Browser wallet" }]);
  expect(readInjected({ ...provider, isMetaMask: true, isRabby: true })).toMatchObject([
    { name: "Rabby Wallet" },
  ]);
  const providers = [{ ...provider, isMetaMask: true }, { ...provider }, { ...provider }, null];
  expect(readInjected({ ...provider, providers })).toMatchObject([
    { id: "injected", name: "MetaMask" },
    { id: "injected:2", name: "Browser wallet" },
    { id: "injected:3", name: "Browser wallet 2" },
  ]);
});

test("origins are shown only where two wallets have one name", () => {
  const wallets = [
    { name: "One", origin: "a" },
    { name: "Twin", origin: "b" },
    { name: "twin", origin: "c" },
  ];
  expect(tellApart(wallets).map(({ origin }) => origin)).toEqual([null, "b", "c"]);
});
