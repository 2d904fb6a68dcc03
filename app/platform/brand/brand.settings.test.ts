import { expect, test } from "vitest";
import { parseConfig } from "~e2e/support/config";

const enough = { LATCHKEY_MODE: "demo", KEY_CONTRACT_ADDRESS: `0x${"11".repeat(20)}` };
const read = (environment: Record<string, string>) => parseConfig({ ...enough, ...environment });

test("the site is called Latchkey without settings, and devices keep an offline page", () => {
  expect(read({}).brand).toEqual({
    name: "Latchkey",
    accent: null,
    logoFile: null,
    iconFile: null,
    textsFile: null,
    hasOfflinePage: true,
  });
});

test("a name may have 40 characters, however many UTF-16 units each takes", () => {
  expect(read({ BRAND_NAME: "🗝".repeat(40) }).brand.name).toBe("🗝".repeat(40));
  expect(() => read({ BRAND_NAME: "🗝".repeat(41) })).toThrow("BRAND_NAME must have at most 40 characters.");
});

test.each(["two\nlines", "turned \u202e around"])("a name that is no plain line is refused: %j", (name) => {
  expect(() => read({ BRAND_NAME: name })).toThrow("BRAND_NAME must be one line of visible characters.");
});

test.each(["green", "1f4d46", "#1f4d4", "#1f4d46;}", "rgb(0,0,0)"])(
  "%s is refused as an accent",
  (accent) => {
    expect(() => read({ BRAND_ACCENT: accent })).toThrow("BRAND_ACCENT must be a colour such as #1f4d46.");
  },
);

test("the offline page can be switched off, and is always off in development", () => {
  expect(read({ OFFLINE_PAGE: "false" }).brand.hasOfflinePage).toBe(false);
  expect(read({ LATCHKEY_MODE: "development" }).brand.hasOfflinePage).toBe(false);
});

test("a mistyped name of a brand setting is reported", () => {
  expect(read({ BRAND_COLOR: "#000000", BRAND_LOGOS: "x" }).warnings.join("\n")).toContain(
    "Did you mean BRAND_LOGO?",
  );
});
