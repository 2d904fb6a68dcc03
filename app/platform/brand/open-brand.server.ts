import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { deriveAccent, writeAccentCss } from "./accent";
import type { AccentThemes } from "./accent";
import { brandTextsSchema } from "./brand-texts";
import type { BrandTexts } from "./brand-texts";
import type { Brand, ManifestIcon } from "./brand";
import { findRgb, getRgb, toHex } from "./colour";
import { drawKeyMark, drawMaskableIcon } from "./key-mark";
import { readPicture } from "./picture.server";
import type { Picture } from "./picture.server";

export type BrandFile = { bytes: Buffer; contentType: string };
export type OpenedBrand = {
  brand: Brand;
  /** Changes with anything an operator may change about the look. */
  version: string;
  files: ReadonlyMap<string, BrandFile>;
};
export type BrandOptions = {
  name: string;
  accent: string | null;
  logoFile: string | null;
  iconFile: string | null;
  textsFile: string | null;
  hasOfflinePage: boolean;
};
type BrandLog = { info: (message: string) => void };

const maxFileBytes = 200 * 1024;
const maxIconBytes = 1024 * 1024;
const wordmarkRatio = 2;
const ownAccent = "#1f4d46";
const ownTheme = { light: "#163a35", dark: "#10302b" };

/** Reads and judges the operator's files once, at start; throws words for the operator where one cannot be used. */
export async function openBrand(options: BrandOptions, log: BrandLog): Promise<OpenedBrand> {
  const [texts, logo, icon] = await Promise.all([
    readTexts(options.textsFile),
    readPictureFile("BRAND_LOGO", options.logoFile, maxFileBytes),
    readPictureFile("BRAND_ICON", options.iconFile, maxIconBytes),
  ]);
  if (icon) requireIconShape(icon);
  const accents = options.accent === null ? null : deriveAccent(options.accent);
  if (accents && options.accent) tellOfChanges(options.accent, accents, log);
  const files = drawFiles(accents, logo, icon);
  const version = digest([
    JSON.stringify([options, texts]),
    ...[...files.values()].map(({ bytes }) => bytes),
  ]);
  const place = (name: string) => `/brand/${version}/${name}`;
  return {
    version,
    files,
    brand: {
      name: options.name,
      texts,
      logo: logo && { ...describeLogo(logo), href: place(logoName(logo)) },
      stylesheetHref: accents && place("accent.css"),
      ...chooseIcons(files, logo, place),
      themeColor: accents ? { light: accents.light.deep, dark: accents.dark.deep } : ownTheme,
      hasOfflinePage: options.hasOfflinePage,
    },
  };
}

async function readBounded(setting: string, file: string, maxBytes: number): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes) throw new Error(`${setting}: ${file} is larger than ${maxBytes / 1024} KiB.`);
    return await readFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new Error(
      `${setting}: ${file} cannot be read (${code}). Name a file that is there, or unset ${setting}.`,
      {
        cause: error,
      },
    );
  }
}

async function readPictureFile(
  setting: string,
  file: string | null,
  maxBytes: number,
): Promise<Picture | null> {
  if (file === null) return null;
  const bytes = await readBounded(setting, file, maxBytes);
  try {
    return readPicture(bytes);
  } catch (error) {
    throw new Error(`${setting}: ${file} ${(error as Error).message}`, { cause: error });
  }
}

function requireIconShape({ type, width, height }: Picture): void {
  if (type === "image/png" && width === height && width >= 512 && width <= 1024) return;
  throw new Error("BRAND_ICON: must be a square PNG of 512 to 1024 pixels a side.");
}

async function readTexts(file: string | null): Promise<BrandTexts> {
  if (file === null) return {};
  const bytes = await readBounded("BRAND_TEXTS", file, maxFileBytes);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new Error(`BRAND_TEXTS: ${file} is not valid JSON.`, { cause });
  }
  const result = brandTextsSchema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    ({ path, message }) => `${path.join(".") || "the file"}: ${message}`,
  );
  throw new Error(`BRAND_TEXTS: ${file} does not have the right shape (${faults.join("; ")}).`);
}

function describeLogo({ width, height }: Picture) {
  const aspectRatio = Math.round((width / height) * 1000) / 1000;
  return { aspectRatio, isWordmark: aspectRatio > wordmarkRatio };
}

const logoName = ({ type }: Picture) => (type === "image/png" ? "logo.png" : "logo.svg");

/** A wide or tall logo makes no icon. */
const isAboutSquare = ({ width, height }: Picture) => width / height > 0.75 && width / height < 1.34;

function drawFiles(
  accents: AccentThemes | null,
  logo: Picture | null,
  icon: Picture | null,
): Map<string, BrandFile> {
  const files = new Map<string, BrandFile>();
  const svg = (text: string) => ({ bytes: Buffer.from(text), contentType: "image/svg+xml" });
  if (accents) {
    const css = writeAccentCss(accents);
    files.set("accent.css", { bytes: Buffer.from(css), contentType: "text/css; charset=utf-8" });
  }
  if (logo) files.set(logoName(logo), { bytes: logo.bytes, contentType: logo.type });
  if (icon) files.set("icon.png", { bytes: icon.bytes, contentType: icon.type });
  const ground = accents?.light.deep ?? ownAccent;
  if (logo && isAboutSquare(logo)) {
    const picture = `data:${logo.type};base64,${logo.bytes.toString("base64")}`;
    // Most logos are made for a light ground.
    files.set("icon-maskable.svg", svg(drawMaskableIcon("#ffffff", picture)));
  } else if (accents) {
    files.set("icon.svg", svg(drawKeyMark({ ground, isMaskable: false })));
    files.set("icon-maskable.svg", svg(drawKeyMark({ ground, isMaskable: true })));
  }
  return files;
}

function chooseIcons(
  files: ReadonlyMap<string, BrandFile>,
  logo: Picture | null,
  place: (name: string) => string,
): Pick<Brand, "favicon" | "touchIconHref" | "manifestIcons"> {
  const maskable = files.has("icon-maskable.svg");
  const drawn = maskable && ["icon.svg", "logo.svg", "logo.png"].find((name) => files.has(name));
  const drawnType = drawn ? files.get(drawn)!.contentType : "";
  const drawnIcons: ManifestIcon[] = drawn
    ? [
        {
          src: place(drawn),
          sizes: drawn === "logo.png" ? `${logo?.width}x${logo?.height}` : "any",
          type: drawnType,
        },
        { src: place("icon-maskable.svg"), sizes: "any", type: "image/svg+xml", purpose: "maskable" },
      ]
    : ownIcons;
  const favicon = drawn
    ? { href: place(drawn), type: drawnType }
    : { href: "/favicon.svg", type: "image/svg+xml" };
  if (!files.has("icon.png")) {
    return { favicon, touchIconHref: drawn ? null : "/icons/touch-icon.png", manifestIcons: drawnIcons };
  }
  const href = place("icon.png");
  const icon: ManifestIcon = { src: href, sizes: "512x512", type: "image/png" };
  return {
    favicon: drawn ? favicon : { href, type: "image/png" },
    touchIconHref: href,
    manifestIcons: [icon, ...drawnIcons.filter(({ purpose }) => purpose === "maskable" && drawn)],
  };
}

const ownIcons: ManifestIcon[] = [
  { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
  { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
  { src: "/icons/icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  { src: "/favicon.svg", sizes: "any", type: "image/svg+xml" },
];

function tellOfChanges(chosen: string, accents: AccentThemes, log: BrandLog): void {
  const asWritten = toHex(getRgb(chosen));
  if (!findRgb(chosen) || asWritten === accents.light.accent) return;
  log.info(
    `BRAND_ACCENT: ${asWritten} could not be read on the light ground, so it is ${accents.light.accent} there, and ${accents.dark.accent} in the dark.`,
  );
}

function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 16);
}
