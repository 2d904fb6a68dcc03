import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { contrast, getRgb, themes as accentThemes } from "./accent";

type Tokens = Readonly<Record<string, string>>;
type Pair = { text: string; ground: string; least: number };

const css = readFileSync("app/ui/styles/tokens.css", "utf8").replace(/\/\*[\s\S]*?\*\//g, "");

function readBlock(query: string | null): Tokens {
  const source = query === null ? css.slice(0, css.indexOf("@media")) : blockAfter(`@media ${query} {`);
  return Object.fromEntries(
    [...source.matchAll(/--([a-z0-9-]+):\s*([^;]+);/g)].map(([, name, value]) => [name!, value!.trim()]),
  );
}

function blockAfter(opening: string): string {
  const begin = css.indexOf(opening);
  if (begin < 0) throw new Error(`tokens.css has no ${opening}`);
  return css.slice(begin, css.indexOf("\n}", begin));
}

const light = readBlock(null);
const dark = readBlock("(prefers-color-scheme: dark)");
const lightContrast = readBlock("(prefers-contrast: more)");
const darkContrast = readBlock("(prefers-contrast: more) and (prefers-color-scheme: dark)");
const forced = readBlock("(forced-colors: active)");

/** As the cascade puts them together. */
const themes = {
  light: { tokens: light, isContrast: false },
  dark: { tokens: { ...light, ...dark }, isContrast: false },
  lightContrast: { tokens: { ...light, ...lightContrast }, isContrast: true },
  darkContrast: { tokens: { ...light, ...dark, ...lightContrast, ...darkContrast }, isContrast: true },
} satisfies Record<string, { tokens: Tokens; isContrast: boolean }>;

const isColour = (value: string) => /^(#|rgb)/.test(value);
const colours = Object.keys(light).filter((name) => isColour(light[name]!));

const pageGrounds = ["ground", "surface", "surface-sunken"];
/** Colours that only decorate, and colours made of others. */
const decoration = new Set([
  "line",
  "backdrop",
  "brass-strong",
  "problem-line",
  "success-line",
  "info-line",
  "warning-line",
]);

/** The grounds on which each colour may stand. Null: not defined. */
function groundsOf(name: string): { grounds: readonly string[]; isText: boolean } | null {
  if (name === "ink" || name === "ink-soft") {
    return { grounds: [...pageGrounds, "question-ground", "code-ground"], isText: true };
  }
  if (name === "accent" || name === "accent-strong") {
    return { grounds: [...pageGrounds, "question-ground"], isText: true };
  }
  if (name === "on-accent") return { grounds: ["accent", "accent-strong"], isText: true };
  if (name === "on-deep" || name === "on-deep-soft" || name === "brass")
    return { grounds: ["deep"], isText: true };
  const notice = /^(problem|success|info|warning)-ink$/.exec(name)?.[1];
  if (notice) return { grounds: [`${notice}-ground`, ...pageGrounds], isText: true };
  if (/^code-/.test(name) && name !== "code-ground")
    return { grounds: ["code-ground", "surface"], isText: true };
  if (name === "line-strong" || name === "focus")
    return { grounds: [...pageGrounds, "code-ground"], isText: false };
  return null;
}

const isGround = (name: string) => /(^|-)ground$|^surface|^deep$/.test(name);

test("every colour is a text, a ground, a meaningful line or decoration", () => {
  const unassigned = colours.filter(
    (name) => !isGround(name) && !decoration.has(name) && groundsOf(name) === null,
  );
  expect(unassigned, "say in groundsOf where these stand").toEqual([]);
});

test("every ground has a text that is checked against it", () => {
  const held = new Set(colours.flatMap((name) => groundsOf(name)?.grounds ?? []));
  expect(colours.filter((name) => isGround(name) && !held.has(name))).toEqual([]);
});

test.each(Object.entries(themes))(
  "every text can be read on its grounds in %s",
  (_name, { tokens, isContrast }) => {
    const pairs = colours.flatMap((text): Pair[] => {
      const use = groundsOf(text);
      if (!use) return [];
      const least = use.isText ? (isContrast ? 7 : 4.5) : isContrast ? 4.5 : 3;
      return use.grounds.map((ground) => ({ text, ground, least }));
    });
    const faults = pairs.flatMap(({ text, ground, least }) => {
      const ratio = contrast(getRgb(tokens[text]!), getRgb(tokens[ground]!));
      return ratio >= least ? [] : [`${text} on ${ground}: ${ratio.toFixed(2)}, needs ${least}`];
    });
    expect(faults).toEqual([]);
    expect(pairs.length).toBeGreaterThan(50);
  },
);

test("forced colours replace every colour with one of the system's", () => {
  const missing = colours.filter((name) => name !== "backdrop" && !(name in forced));
  expect(missing).toEqual([]);
  expect(Object.entries(forced).filter(([, value]) => isColour(value))).toEqual([]);
});

test("a theme has no token that light lacks", () => {
  for (const theme of [dark, lightContrast, darkContrast, forced])
    expect(Object.keys(theme).filter((name) => !(name in light))).toEqual([]);
});

test("an operator's accent is checked against the hardest ground of each theme", () => {
  for (const [name, { isDark, hardestGround }] of Object.entries(accentThemes)) {
    const { tokens } = themes[name as keyof typeof themes];
    const text = getRgb(isDark ? "#ffffff" : "#000000");
    const ratios = pageGrounds.map((ground) => contrast(text, getRgb(tokens[ground]!)));
    expect(contrast(text, getRgb(hardestGround)), name).toBeLessThanOrEqual(Math.min(...ratios));
  }
});

/** Values that a sheet must not choose itself. */
const decisions = {
  colours: /#[0-9a-f]{3,8}\b(?=[^{]*[;}])|\b(rgb|hsl|oklch)a?\(/i,
  "sizes of type": /font(-size)?:[^;]*\d(rem|px|vw)/i,
  "durations of motion": /(animation|transition)(-duration|-delay)?:[^;!]*\d(ms|s)\b/i,
};

test.each(Object.entries(decisions))("%s are defined in the tokens file alone", (_name, decision) => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" })
    .map((file) => path.join("app", file))
    .filter((file) => file.endsWith(".css") && !file.endsWith("tokens.css"))
    // Other sites and operators' pages don't use our tokens.
    .filter((file) => !/^app.(?:demo|commands)./.test(file));
  const faults = files.filter((file) =>
    // The important declaration ends all motion, for visitors who prefer less.
    decision.test(readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|[^;{]*!important/g, "")),
  );
  expect(files.length).toBeGreaterThan(8);
  expect(faults).toEqual([]);
});
