import { expect, test } from "vitest";
import {
  contrast,
  deriveAccent,
  findRgb,
  getRgb,
  themes,
  toHex,
  toOklch,
  toRgb,
  writeAccentCss,
} from "./accent";
import type { AccentThemes } from "./accent";

const accents = ["#000000", "#ffffff", "#808080", "#ffff00", "#ff0000", "#00ff00", "#0000ff", "#b3261e"];
for (let hue = 0; hue < 360; hue += 30) {
  accents.push(
    toHex(toRgb({ lightness: 0.75, chroma: 0.2, hue })),
    toHex(toRgb({ lightness: 0.3, chroma: 0.1, hue })),
  );
}

test.each(accents)("the accent %s can be read and written upon in all four themes", (chosen) => {
  for (const [name, tokens] of Object.entries(deriveAccent(chosen))) {
    const { hardestGround, leastRatio } = themes[name as keyof AccentThemes];
    const ratio = (one: string, other: string) => contrast(getRgb(one), getRgb(other));
    for (const text of [tokens.accent, tokens["accent-strong"]]) {
      for (const ground of [hardestGround, tokens["question-ground"]])
        expect(ratio(text, ground), `${name}: ${text} on ${ground}`).toBeGreaterThanOrEqual(leastRatio);
      expect(ratio(tokens["on-accent"], text), `${name}: on ${text}`).toBeGreaterThanOrEqual(leastRatio);
    }
    for (const text of ["#f6f0e0", tokens["on-deep-soft"], "#f3c969"])
      expect(ratio(text, tokens.deep), `${name}: ${text} on deep`).toBeGreaterThanOrEqual(leastRatio);
  }
});

test("an accent that can be read already stays as it was chosen", () => {
  expect(deriveAccent("#1f4d46").light.accent).toBe("#1f4d46");
  expect(deriveAccent("#7fc9b8").dark.accent).toBe("#7fc9b8");
});

test("a colour that has to change keeps its hue", () => {
  const { light } = deriveAccent("#ffb000");
  expect(light.accent).not.toBe("#ffb000");
  const turned = toOklch(getRgb(light.accent)).hue - toOklch(getRgb("#ffb000")).hue;
  expect(Math.abs(turned)).toBeLessThan(4);
});

test("the stylesheet names every token in every theme, and none for forced colours", () => {
  const css = writeAccentCss(deriveAccent("#b3261e"));
  expect(css.match(/--accent:#/g)).toHaveLength(4);
  expect(css.match(/@media \(forced-colors: none\)/g)).toHaveLength(4);
  expect(css.match(/--question-ground:#[0-9a-f]{6}/g)).toHaveLength(4);
});

test("colours are read in both spellings and no other", () => {
  expect(findRgb("#fff")).toEqual([1, 1, 1]);
  expect(findRgb("#FF0000")).toEqual([1, 0, 0]);
  for (const text of ["red", "fff", "#ffff", "#12345g", "#fff;}", ""]) expect(findRgb(text), text).toBeNull();
});

test("a colour converted there and back stays the same", () => {
  for (const hex of ["#1f4d46", "#b3261e", "#0000ff", "#ffffff", "#000000"])
    expect(toHex(toRgb(toOklch(getRgb(hex))))).toBe(hex);
});

test("contrast is the ratio of the guidelines", () => {
  expect(contrast(getRgb("#000"), getRgb("#fff"))).toBeCloseTo(21, 5);
  expect(contrast(getRgb("#767676"), getRgb("#fff"))).toBeCloseTo(4.54, 2);
});
