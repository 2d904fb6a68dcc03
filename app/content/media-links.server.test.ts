import { expect, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import { createMediaLinks } from "./media-links.server";

const key = new Uint8Array(32).fill(7);
/** On a whole minute, so that edges are easy to name. */
const minuteMs = 1_700_000_040_000;

function linksAt(clock: () => number, ttlSeconds = 300) {
  return createMediaLinks({ key, ttlSeconds, clock });
}

function readLink(address: string) {
  const url = new URL(address, "http://localhost");
  const [, , tokenId = "", ...segments] = url.pathname.split("/");
  return {
    tokenId,
    file: segments.map(decodeURIComponent).join("/"),
    exp: url.searchParams.get("exp"),
    sig: url.searchParams.get("sig"),
  };
}

function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}

test("a signed link verifies and says how long it may be cached", () => {
  const links = linksAt(() => minuteMs);
  const address = links.sign({ tokenId: "12", file: "images/lamp room.svg" });
  expect(address).toMatch(/^\/media\/12\/images\/lamp%20room\.svg\?exp=\d+&sig=[A-Za-z0-9_-]{43}$/);
  expect(links.verify(readLink(address))).toEqual({ maxAgeSeconds: 300 });
});

test.each(["ä#?&%25+.mp3", "a b/c d.png", "日本.ogg", "it's (1).wav"])(
  "the file name %j is the same after it went through an address",
  (file) => {
    const links = linksAt(() => minuteMs);
    const link = readLink(links.sign({ tokenId: "1", file }));
    expect(link.file).toBe(file);
    expect(links.verify(link).maxAgeSeconds).toBe(300);
  },
);

test("a link's address stays the same for a minute and then changes", () => {
  const at = (ms: number) => linksAt(() => ms).sign({ tokenId: "1", file: "a.mp3" });
  const first = at(minuteMs + 1);
  expect(at(minuteMs + 60_000)).toBe(first);
  expect(at(minuteMs)).not.toBe(first);
  expect(at(minuteMs + 60_001)).not.toBe(first);
});

test("a link is valid for at least its lifetime and at most a minute more", () => {
  for (const offsetMs of [0, 1, 59_999, 60_000]) {
    const link = readLink(linksAt(() => minuteMs + offsetMs, 300).sign({ tokenId: "1", file: "a.mp3" }));
    const lifeMs = Number(link.exp) * 1000 - (minuteMs + offsetMs);
    expect(lifeMs).toBeGreaterThanOrEqual(300_000);
    expect(lifeMs).toBeLessThan(360_000);
  }
});

test("a lifetime below a minute is not extended to one", () => {
  const link = readLink(linksAt(() => minuteMs + 1, 5).sign({ tokenId: "1", file: "a.mp3" }));
  expect(Number(link.exp) * 1000 - minuteMs).toBeLessThanOrEqual(10_000);
});

test("a link is valid until the millisecond before its expiry", () => {
  const link = readLink(linksAt(() => minuteMs).sign({ tokenId: "1", file: "a.mp3" }));
  expect(linksAt(() => minuteMs + 299_999).verify(link)).toEqual({ maxAgeSeconds: 0 });
  const refusal = refusalOf(() => linksAt(() => minuteMs + 300_000).verify(link));
  expect(refusal.refusalName).toBe("media-link-invalid");
  expect(refusal.detail).toContain("expired");
});

test("a link changed in any field is refused as changed, an expired one too", () => {
  const links = linksAt(() => minuteMs);
  const good = readLink(links.sign({ tokenId: "12", file: "a.mp3" }));
  const sig = good.sig ?? "";
  const lastFlipped = sig.slice(0, -1) + (sig.endsWith("A") ? "B" : "A");
  const changed = [
    { ...good, tokenId: "13" },
    { ...good, tokenId: "1" },
    { ...good, tokenId: "012" },
    { ...good, file: "b.mp3" },
    { ...good, file: "A.mp3" },
    { ...good, file: "./a.mp3" },
    { ...good, exp: String(Number(good.exp) + 60) },
    { ...good, exp: String(Number(good.exp) - 60) },
    { ...good, exp: `0${good.exp}` },
    { ...good, exp: `${good.exp}.0` },
    { ...good, exp: "0" },
    { ...good, exp: "" },
    { ...good, exp: null },
    { ...good, sig: null },
    { ...good, sig: "" },
    { ...good, sig: `${sig}=` },
    { ...good, sig: sig.slice(0, -1) },
    { ...good, sig: sig.toLowerCase() },
    { ...good, sig: lastFlipped },
    { ...good, sig: "é".repeat(43) },
  ];
  for (const link of changed) {
    const refusal = refusalOf(() => links.verify(link));
    expect(refusal.refusalName).toBe("media-link-invalid");
    expect(refusal.detail).toContain("changed");
    expect(refusal.detail).not.toContain(sig);
  }
});

test("every bit of the signature counts, the spare ones of base64url too", () => {
  const links = linksAt(() => minuteMs);
  const good = readLink(links.sign({ tokenId: "1", file: "a.mp3" }));
  const sig = good.sig ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (const other of alphabet.replace(sig.at(-1) ?? "", "")) {
    expect(() => links.verify({ ...good, sig: sig.slice(0, -1) + other })).toThrow(Refusal);
  }
});

test("characters moved from one field into the next make another link", () => {
  const links = linksAt(() => minuteMs);
  const good = readLink(links.sign({ tokenId: "1", file: "1/a.mp3" }));
  expect(() => links.verify({ ...good, tokenId: "1/1", file: "a.mp3" })).toThrow(Refusal);
  expect(() => links.verify({ ...good, tokenId: "11", file: "/a.mp3" })).toThrow(Refusal);
});

test("a link signed with another key is refused", () => {
  const link = readLink(linksAt(() => minuteMs).sign({ tokenId: "1", file: "a.mp3" }));
  const others = createMediaLinks({
    key: new Uint8Array(32).fill(8),
    ttlSeconds: 300,
    clock: () => minuteMs,
  });
  expect(() => others.verify(link)).toThrow(Refusal);
});

test("only what the media route serves can be signed", () => {
  const links = linksAt(() => minuteMs);
  const wrong = [
    ...[
      "welcome.md",
      "audio.json",
      "knowledge/a.md",
      "../a.mp3",
      "a/../b.mp3",
      "/a.mp3",
      "a//b.mp3",
      ".a.mp3",
    ],
    ...[".mp3", "a\\b.mp3", "a\0.mp3", "tokens/2/a.mp3", "Tokens/2/a.mp3", "a.mp3/", "", "a.html", "a.svgz"],
    ...["C:a.mp3", "\ud800.mp3", `${"a".repeat(197)}.mp3`],
  ];
  for (const file of wrong) expect(() => links.sign({ tokenId: "1", file }), file).toThrow(TypeError);
  for (const tokenId of ["01", "", "x"]) {
    expect(() => links.sign({ tokenId, file: "a.mp3" }), tokenId).toThrow(TypeError);
  }
  expect(links.sign({ tokenId: "1", file: `${"a".repeat(196)}.mp3` })).toContain("/media/1/");
});

test("a short signing key and an invalid lifetime are refused at the start", () => {
  expect(() => createMediaLinks({ key: new Uint8Array(31), ttlSeconds: 300, clock: Date.now })).toThrow(
    TypeError,
  );
  for (const ttlSeconds of [0, -1, 1.5, NaN]) {
    expect(() => createMediaLinks({ key, ttlSeconds, clock: Date.now })).toThrow(TypeError);
  }
});
