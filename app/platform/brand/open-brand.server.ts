import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { Refusal } from "~/platform/refusals/refusal";
import { deriveAccent, getRgb, toHex, writeAccentCss } from "./accent";
import type { AccentThemes } from "./accent";
import { brandTextsSchema, writeManifest } from "./brand";
import type { Brand, Manifest, ManifestIcon } from "./brand";
import type { readBrand } from "./brand.settings";
import type { EventLog } from "~/platform/log/log.server";

type BrandFile = { bytes: Buffer; contentType: string };
type OpenedBrand = {
  brand: Brand;
  manifest: Manifest;
  /** Changes with any part of the look. */
  version: string;
  files: ReadonlyMap<string, BrandFile>;
};
type BrandOptions = ReturnType<typeof readBrand> & Pick<Brand, "hasChat">;
type BrandLog = Pick<EventLog, "info">;

const maxFileBytes = 200 * 1024;
const maxIconBytes = 1024 * 1024;
const wordmarkRatio = 2;
const svgType = "image/svg+xml";
const ownAccent = "#1f4d46";
const ownTheme = { light: "#163a35", dark: "#10302b" };

/** Throws messages for the operator. */
export async function openBrand(options: BrandOptions, log: BrandLog): Promise<OpenedBrand> {
  const [texts, logo, icon] = await Promise.all([
    readTexts(options.textsFile),
    readPictureFile("BRAND_LOGO", options.logoFile, maxFileBytes),
    readPictureFile("BRAND_ICON", options.iconFile, maxIconBytes),
  ]);
  if (icon && !isIcon(icon)) {
    throw new Error("BRAND_ICON: must be a square PNG of 512 to 1024 pixels a side.");
  }
  const accents = options.accent === null ? null : chooseAccent(options.accent, log);
  const files = drawFiles(accents, logo, icon);
  const version = digest([
    JSON.stringify([options, texts]),
    ...[...files.values()].map(({ bytes }) => bytes),
  ]);
  const hrefOf = (name: string) => `/brand/${version}/${name}`;
  const { manifestIcons, ...pageIcons } = chooseIcons(files, logo, hrefOf);
  const brand: Brand = {
    name: options.name,
    texts,
    logo: logo && describeLogo(logo, hrefOf(logoName(logo))),
    stylesheetHref: accents && hrefOf("accent.css"),
    ...pageIcons,
    themeColor: accents ? { light: accents.light.deep, dark: accents.dark.deep } : ownTheme,
    hasOfflinePage: options.hasOfflinePage,
    hasChat: options.hasChat,
  };
  return { version, files, brand, manifest: writeManifest(brand, manifestIcons) };
}

async function readBounded(setting: string, file: string, maxBytes: number): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes) throw new Error(`${setting}: ${file} is larger than ${maxBytes / 1024} KiB.`);
    return await readFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    const remedy = `Name a file that is there, or unset ${setting}.`;
    throw new Error(`${setting}: ${file} cannot be read (${code}). ${remedy}`, { cause: error });
  }
}

async function readPictureFile(setting: string, file: string | null, maxBytes: number) {
  if (file === null) return null;
  const bytes = await readBounded(setting, file, maxBytes);
  try {
    return readPicture(bytes);
  } catch (error) {
    throw new Error(`${setting}: ${file} ${(error as Error).message}`, { cause: error });
  }
}

function isIcon({ type, width, height }: Picture): boolean {
  return type === "image/png" && width === height && width >= 512 && width <= 1024;
}

async function readTexts(file: string | null): Promise<Brand["texts"]> {
  if (file === null) return {};
  const bytes = await readBounded("BRAND_TEXTS", file, maxFileBytes);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new Error(`BRAND_TEXTS: ${file} is not valid JSON.`, { cause });
  }
  const { data, error } = brandTextsSchema.safeParse(value);
  if (data) return data;
  const faults = error.issues.map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`);
  throw new Error(`BRAND_TEXTS: ${file} does not have the right shape (${faults.join("; ")}).`);
}

function describeLogo({ width, height }: Picture, href: string): Brand["logo"] {
  const aspectRatio = Math.round((width / height) * 1000) / 1000;
  return { href, aspectRatio, isWordmark: aspectRatio > wordmarkRatio };
}

const logoName = ({ type }: Picture) => (type === "image/png" ? "logo.png" : "logo.svg");

const isAboutSquare = ({ width, height }: Picture) => width / height > 0.75 && width / height < 1.34;

function drawFiles(
  accents: AccentThemes | null,
  logo: Picture | null,
  icon: Picture | null,
): Map<string, BrandFile> {
  const files = new Map<string, BrandFile>();
  const svg = (text: string) => ({ bytes: Buffer.from(text), contentType: svgType });
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
  hrefOf: (name: string) => string,
): Pick<Brand, "favicon" | "touchIconHref"> & { manifestIcons: readonly ManifestIcon[] } {
  const drawn = ["icon.svg", "logo.svg", "logo.png"].find((name) => files.has(name));
  const maskable = files.has("icon-maskable.svg") && {
    src: hrefOf("icon-maskable.svg"),
    sizes: "any",
    type: svgType,
    purpose: "maskable" as const,
  };
  const picture = maskable &&
    drawn && {
      src: hrefOf(drawn),
      sizes: drawn === "logo.png" ? `${logo?.width}x${logo?.height}` : "any",
      type: files.get(drawn)!.contentType,
    };
  const png = files.has("icon.png") && { src: hrefOf("icon.png"), sizes: "512x512", type: "image/png" };
  const { src, type } = picture || png || { src: "/favicon.svg", type: svgType };
  const icons = [png || picture, maskable].filter((icon) => typeof icon === "object");
  return {
    favicon: { href: src, type },
    touchIconHref: png ? png.src : picture ? null : "/icons/touch-icon.png",
    manifestIcons: icons.length > 0 ? icons : shippedIcons,
  };
}

const shippedIcons: readonly ManifestIcon[] = [
  { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
  { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
  { src: "/icons/icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  { src: "/favicon.svg", sizes: "any", type: svgType },
];

function chooseAccent(chosen: string, log: BrandLog): AccentThemes {
  const accents = deriveAccent(chosen);
  const asWritten = toHex(getRgb(chosen));
  const [light, dark] = [accents.light.accent, accents.dark.accent];
  if (asWritten !== light) {
    log.info({ accent: asWritten, light, dark }, "BRAND_ACCENT has too little contrast; others are used");
  }
  return accents;
}

function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** Nothing in a picture runs in `<img>`. Opened as a page, its policy makes it as powerless. */
export function brandFileResponse(opened: OpenedBrand, version = "", name = ""): Response {
  const file = opened.files.get(name);
  if (!file) throw new Refusal("not-found");
  // A page from before a restart may name an older version. It gets the current file, and may not cache it.
  const cacheControl = version === opened.version ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      "Content-Type": file.contentType,
      "Content-Length": String(file.bytes.length),
      "Cache-Control": cacheControl,
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    },
  });
}

export function drawKeyMark({ ground, isMaskable }: { ground: string; isMaskable: boolean }): string {
  const hole = "M16 7.5a5.25 5.25 0 0 0-2.6 9.81L12 24.5h8l-1.4-7.19A5.25 5.25 0 0 0 16 7.5Z";
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    `<rect width="32" height="32"${isMaskable ? "" : ' rx="8"'} fill="${ground}"/>`,
    `<path fill="#f3c969" d="${hole}"/>`,
    "</svg>\n",
  ].join("");
}

/** A square picture within the circle that every home screen shows: four fifths of the icon's width. */
function drawMaskableIcon(ground: string, picture: string): string {
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">',
    `<rect width="512" height="512" fill="${ground}"/>`,
    // A square has room for 0.8 / √2 of the whole.
    `<image x="112" y="112" width="288" height="288" href="${picture}"/>`,
    "</svg>\n",
  ].join("");
}

type Picture = { bytes: Buffer; type: "image/svg+xml" | "image/png"; width: number; height: number };

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** For `<img>` alone, where no script runs. Error messages continue after the setting's name. */
function readPicture(bytes: Buffer): Picture {
  if (bytes.subarray(0, 8).equals(pngSignature)) return readPng(bytes);
  return readSvg(bytes);
}

function readPng(bytes: Buffer): Picture {
  if (bytes.length < 33 || bytes.toString("latin1", 12, 16) !== "IHDR") throw new Error("is a damaged PNG.");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width === 0 || height === 0) throw new Error("is a damaged PNG.");
  return { bytes, type: "image/png", width, height };
}

function readSvg(bytes: Buffer): Picture {
  const text = decode(bytes);
  // Only entity declarations can make a small XML file large.
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) {
    throw new Error("must be an SVG without a DOCTYPE. Save it as plain SVG, or take the DOCTYPE out.");
  }
  const root = /^\s*(?:<\?xml[^>]*\?>)?(?:\s|<!--[\s\S]*?-->)*<svg(\s[^>]*)>/.exec(text)?.[1];
  if (root === undefined) throw new Error("must be an SVG or a PNG file.");
  const box = /\sviewBox\s*=\s*["']\s*([^"']*?)\s*["']/
    .exec(root)?.[1]
    ?.split(/[\s,]+/)
    .map(Number);
  const [, , width, height] = box ?? [];
  if (box?.length !== 4 || !width || !height || !(width > 0 && height > 0)) {
    throw new Error('must be an SVG with a viewBox, such as viewBox="0 0 64 64", so that it fits any size.');
  }
  if (!/\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root)) {
    throw new Error('must be an SVG whose first element says xmlns="http://www.w3.org/2000/svg".');
  }
  return { bytes, type: "image/svg+xml", width, height };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error("must be an SVG (as UTF-8 text) or a PNG file.", { cause });
  }
}
