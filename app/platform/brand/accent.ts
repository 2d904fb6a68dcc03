/** Tokens of app/ui/styles/tokens.css that follow an operator's accent. */
type AccentTokens = Record<
  "accent" | "accent-strong" | "on-accent" | "deep" | "on-deep-soft" | "question-ground" | "code-keyword",
  string
>;
export type AccentThemes = Record<"light" | "dark" | "lightContrast" | "darkContrast", AccentTokens>;

type Theme = {
  isDark: boolean;
  /** The ground with the least contrast; a test checks these against tokens.css. */
  hardestGround: string;
  leastRatio: number;
};

export const themes: Readonly<Record<keyof AccentThemes, Theme>> = {
  light: { isDark: false, hardestGround: "#f2efe8", leastRatio: 4.5 },
  dark: { isDark: true, hardestGround: "#262925", leastRatio: 4.5 },
  lightContrast: { isDark: false, hardestGround: "#f4f4f0", leastRatio: 7 },
  darkContrast: { isDark: true, hardestGround: "#171917", leastRatio: 7 },
};

const lightnessStep = 0.005;
/** Rounding a colour to a screen's steps costs some contrast. */
const margin = 0.1;

/** An accent in all four themes. Keeps the hue, and moves lightness and chroma only as far as it must. */
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

export function writeAccentCss({ light, dark, lightContrast, darkContrast }: AccentThemes): string {
  // In forced colours the system's own colours count, which tokens.css names.
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

/** From 0 to 1, gamma-encoded. */
type Rgb = readonly [number, number, number];
/** Ottosson's OKLCH: lightness from 0 to 1, chroma, hue in degrees. Equal steps look equal. */
type Oklch = { lightness: number; chroma: number; hue: number };

/** `#rrggbb` or `#rgb`; null for anything else. */
export function findRgb(text: string): Rgb | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  const digits = long?.slice(1) ?? short?.slice(1).map((digit) => digit + digit);
  if (!digits) return null;
  const [red, green, blue] = digits.map((pair) => Number.parseInt(pair, 16) / 255);
  return [red!, green!, blue!];
}

export function getRgb(text: string): Rgb {
  const rgb = findRgb(text);
  if (!rgb) throw new TypeError(`${text} is not a colour written as #rrggbb.`);
  return rgb;
}

export function toHex(rgb: Rgb): string {
  const digits = rgb.map((part) =>
    Math.round(clamp(part) * 255)
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${digits.join("")}`;
}

/** The ratio of WCAG 2.2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (lighter! + 0.05) / (darker! + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map(toLinear);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

export function toOklch(rgb: Rgb): Oklch {
  const [red, green, blue] = rgb.map(toLinear) as [number, number, number];
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const lightness = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short;
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return { lightness, chroma: Math.hypot(a, b), hue: (Math.atan2(b, a) * 180) / Math.PI };
}

/** The nearest colour in chroma that a screen can show. Contrast depends on lightness and hue, so they stay. */
export function toRgb({ lightness, chroma, hue }: Oklch): Rgb {
  for (let kept = chroma; kept > 0; kept -= 0.004) {
    const rgb = unclipped({ lightness, chroma: kept, hue });
    if (rgb.every((part) => part >= -0.0005 && part <= 1.0005)) return clip(rgb);
  }
  return clip(unclipped({ lightness, chroma: 0, hue }));
}

function clip([red, green, blue]: Rgb): Rgb {
  return [clamp(red), clamp(green), clamp(blue)];
}

function unclipped({ lightness, chroma, hue }: Oklch): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toGamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    toGamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    toGamma(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

function toLinear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function toGamma(part: number): number {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
}

function clamp(part: number): number {
  return Math.min(1, Math.max(0, part));
}
