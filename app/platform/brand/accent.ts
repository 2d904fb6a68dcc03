import { contrast, getRgb, toHex, toOklch, toRgb } from "./colour";
import type { Oklch, Rgb } from "./colour";

/** The tokens of app/ui/styles/tokens.css that follow an operator's accent. */
export type AccentTokens = Record<
  "accent" | "accent-strong" | "on-accent" | "deep" | "on-deep-soft" | "question-ground" | "code-keyword",
  string
>;
export type AccentThemes = Record<"light" | "dark" | "lightContrast" | "darkContrast", AccentTokens>;

type Theme = {
  isDark: boolean;
  /** The ground on which text in this theme has least contrast; a test holds these against tokens.css. */
  hardestGround: string;
  /** WCAG 2.2: AA, and AAA in high contrast. */
  leastRatio: number;
};

export const themes: Readonly<Record<keyof AccentThemes, Theme>> = {
  light: { isDark: false, hardestGround: "#f2efe8", leastRatio: 4.5 },
  dark: { isDark: true, hardestGround: "#262925", leastRatio: 4.5 },
  lightContrast: { isDark: false, hardestGround: "#f4f4f0", leastRatio: 7 },
  darkContrast: { isDark: true, hardestGround: "#171917", leastRatio: 7 },
};

const lightnessStep = 0.005;
/** For what a colour loses when it is rounded to a screen's steps. */
const margin = 0.1;

/** An accent in all four themes. Hue stays; lightness moves only as far as contrast asks for, chroma as far as screens do. */
export function deriveAccent(accent: string): AccentThemes {
  const chosen = toOklch(getRgb(accent));
  const derived = Object.entries(themes).map(([name, theme]) => [name, deriveTheme(chosen, theme)]);
  return Object.fromEntries(derived) as AccentThemes;
}

function deriveTheme(chosen: Oklch, theme: Theme): AccentTokens {
  const { isDark } = theme;
  const tint = (lightness: number, chroma: number) =>
    toRgb({ ...chosen, lightness, chroma: Math.min(chosen.chroma, chroma) });
  const questionGround = isDark ? tint(0.29, 0.022) : tint(0.945, 0.012);
  const grounds = [getRgb(theme.hardestGround), questionGround];
  const onAccent = isDark ? tint(0.15, 0.03) : getRgb("#ffffff");
  // Text on the accent needs the same contrast as the accent on the page's grounds.
  const accent = moveUntilReadable(chosen, [...grounds, onAccent], theme);
  const strong = { ...accent, lightness: accent.lightness + (isDark ? 0.07 : -0.09) };
  return {
    accent: toHex(toRgb(accent)),
    "accent-strong": toHex(toRgb(strong)),
    "on-accent": toHex(onAccent),
    deep: toHex(tint(isDark ? 0.27 : 0.31, 0.075)),
    "on-deep-soft": toHex(tint(theme.leastRatio > 4.5 ? 0.95 : 0.85, 0.03)),
    "question-ground": toHex(questionGround),
    "code-keyword": toHex(toRgb(accent)),
  };
}

function moveUntilReadable(from: Oklch, against: readonly Rgb[], { isDark, leastRatio }: Theme): Oklch {
  let colour = from;
  const isReadable = () => against.every((other) => contrast(toRgb(colour), other) >= leastRatio + margin);
  // Black and white end the search: each is readable on every ground of its theme.
  while (!isReadable() && (isDark ? colour.lightness < 1 : colour.lightness > 0)) {
    colour = { ...colour, lightness: colour.lightness + (isDark ? lightnessStep : -lightnessStep) };
  }
  return colour;
}

/** The accent's tokens as a stylesheet that comes after tokens.css. */
export function writeAccentCss({ light, dark, lightContrast, darkContrast }: AccentThemes): string {
  // In forced colours the system's own count, which tokens.css names.
  const media = (query: string, tokens: AccentTokens) => {
    const declarations = Object.entries(tokens).map(([name, value]) => `--${name}:${value}`);
    return `@media (forced-colors: none)${query}{:root{${declarations.join(";")}}}`;
  };
  return [
    media("", light),
    media(" and (prefers-color-scheme: dark)", dark),
    media(" and (prefers-contrast: more)", lightContrast),
    media(" and (prefers-contrast: more) and (prefers-color-scheme: dark)", darkContrast),
    "",
  ].join("\n");
}
