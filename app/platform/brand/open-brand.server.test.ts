import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { brandFileResponse, openBrand } from "./open-brand.server";

type BrandOptions = Parameters<typeof openBrand>[0];

const plain: BrandOptions = {
  name: "Latchkey",
  accent: null,
  logoFile: null,
  iconFile: null,
  textsFile: null,
  hasOfflinePage: true,
  hasChat: true,
};
const svg = (box: string) =>
  `<?xml version="1.0"?>\n<!-- a logo -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}"><script>alert(1)</script></svg>`;

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), "latchkey-brand-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, content: string | Buffer): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

function open(options: Partial<BrandOptions>, said: string[] = []) {
  return openBrand(
    { ...plain, ...options },
    { info: (fields, message) => said.push(`${message} ${JSON.stringify(fields)}`) },
  );
}

test("the look without settings is the one that ships", async () => {
  const { brand, manifest, files } = await open({});
  expect(files.size).toBe(0);
  expect(brand).toMatchObject({ logo: null, stylesheetHref: null, favicon: { href: "/favicon.svg" } });
  for (const { src, sizes, type } of manifest.icons.filter(({ type }) => type === "image/png")) {
    const bytes = readFileSync(path.join("public", src));
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes);
    expect(type).toBe("image/png");
  }
  expect(manifest.icons.some(({ purpose }) => purpose === "maskable")).toBe(true);
});

test("a square logo becomes the tab's icon and the home screen's", async () => {
  const { brand, manifest, files } = await open({ logoFile: await put("square.svg", svg("0 0 64 64")) });
  expect(brand.logo).toMatchObject({ aspectRatio: 1, isWordmark: false });
  expect(brand.favicon.href).toBe(brand.logo?.href);
  expect(manifest.icons.map(({ purpose }) => purpose)).toEqual([undefined, "maskable"]);
  expect(files.get("icon-maskable.svg")?.bytes.toString()).toContain("data:image/svg+xml;base64,");
});

test("a wide logo replaces the name and makes no icon", async () => {
  const { brand } = await open({ logoFile: await put("wide.svg", svg("0,0,300,60")) });
  expect(brand.logo).toMatchObject({ aspectRatio: 5, isWordmark: true });
  expect(brand.favicon.href).toBe("/favicon.svg");
});

test("an accent alone colours the mark, the icons, and the bar around the page", async () => {
  const { brand, manifest, files } = await open({ accent: "#8a1c5a" });
  const ground = brand.themeColor.light;
  expect(files.get("icon.svg")?.bytes.toString()).toContain(`fill="${ground}"`);
  expect(brand.favicon.href).toMatch(/^\/brand\/[0-9a-f]{16}\/icon\.svg$/);
  expect(files.get("accent.css")?.contentType).toBe("text/css; charset=utf-8");
  expect(manifest).toMatchObject({ theme_color: ground, background_color: ground });
});

test("an accent that cannot be read is adjusted, and the operator is told", async () => {
  const said: string[] = [];
  await open({ accent: "#ffd400" }, said);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^BRAND_ACCENT has too little contrast.*"accent":"#ffd400"/);
  const silent: string[] = [];
  await open({ accent: "#1F4D46" }, silent);
  expect(silent).toEqual([]);
});

test("an icon of the operator's own is used for home screens", async () => {
  const icon = readFileSync("public/icons/icon-512.png");
  const { brand, manifest } = await open({ iconFile: await put("icon.png", icon), accent: "#8a1c5a" });
  expect(brand.touchIconHref).toMatch(/icon\.png$/);
  expect(manifest.icons[0]).toMatchObject({ src: brand.touchIconHref, sizes: "512x512" });
});

test("texts are used as written, and omitted ones keep their defaults", async () => {
  const textsFile = await put("texts.json", JSON.stringify({ lang: "de", headline: " <b>Hallo</b> " }));
  const { brand, manifest } = await open({ textsFile });
  expect(brand.texts).toEqual({ lang: "de", headline: "<b>Hallo</b>" });
  expect(manifest).toMatchObject({ lang: "de", name: "Latchkey" });
});

test("the version changes with every part of the brand", async () => {
  const versions = await Promise.all([
    open({}),
    open({ name: "Other" }),
    open({ accent: "#8a1c5a" }),
    open({ logoFile: await put("one.svg", svg("0 0 1 1")) }),
    open({ logoFile: await put("two.svg", svg("0 0 2 2")) }),
    open({ textsFile: await put("footer.json", JSON.stringify({ footer: "F" })) }),
  ]);
  expect(new Set(versions.map(({ version }) => version)).size).toBe(versions.length);
});

const refusedLogos: [string, string | Buffer, string][] = [
  ["page.svg", "<html></html>", "must be an SVG or a PNG file."],
  ["text.svg", Buffer.from([0xff, 0xfe, 0x00]), "must be an SVG (as UTF-8 text) or a PNG file."],
  ["bomb.svg", `<!DOCTYPE svg [<!ENTITY a "b">]>${svg("0 0 1 1")}`, "without a DOCTYPE"],
  ["boxless.svg", '<svg xmlns="http://www.w3.org/2000/svg"></svg>', "with a viewBox"],
  ["flat.svg", svg("0 0 10 0"), "with a viewBox"],
  ["nameless.svg", '<svg viewBox="0 0 1 1"></svg>', "xmlns"],
  ["short.png", Buffer.from("89504e470d0a1a0a00", "hex"), "is a damaged PNG."],
  ["huge.svg", svg("0 0 1 1").padEnd(200 * 1024 + 1), "is larger than 200 KiB."],
];

test.each(refusedLogos)("a logo that cannot be used stops the start: %s", async (name, content, words) => {
  const logoFile = await put(name, content);
  await expect(open({ logoFile })).rejects.toThrow(`BRAND_LOGO: ${logoFile}`);
  await expect(open({ logoFile })).rejects.toThrow(words);
});

test("a logo of exactly 200 KiB is accepted", async () => {
  const logoFile = await put("large.svg", svg("0 0 1 1").padEnd(200 * 1024));
  await expect(open({ logoFile })).resolves.toMatchObject({ brand: { logo: { isWordmark: false } } });
});

const refusedTexts: [string, string, string][] = [
  ["broken.json", "{", "is not valid JSON."],
  ["unknown.json", '{"headlin": "x"}', "headlin"],
  ["empty.json", '{"headline": "  "}', "headline: must not be empty"],
  ["long.json", JSON.stringify({ headline: "x".repeat(81) }), "headline: must have at most 80 characters"],
  ["turned.json", JSON.stringify({ lead: "a\u202eb" }), "lead: must be one line"],
  ["lang.json", '{"lang": "deutsch!"}', "lang: must be a language"],
  ["steps.json", '{"steps": [{"title": "One", "text": "only"}]}', "steps: must have 2 to 4 steps"],
];

test.each(refusedTexts)("texts that cannot be used stop the start: %s", async (name, content, words) => {
  const textsFile = await put(name, content);
  await expect(open({ textsFile })).rejects.toThrow(words);
  await expect(open({ textsFile })).rejects.toThrow("BRAND_TEXTS");
});

test("a missing file is named together with its setting", async () => {
  await expect(open({ logoFile: path.join(folder, "none.svg") })).rejects.toThrow(
    /^BRAND_LOGO: .*none\.svg cannot be read \(ENOENT\)\./,
  );
});

test("an icon has to be a square PNG of the right size", async () => {
  const iconFile = await put("small.png", readFileSync("public/icons/icon-192.png"));
  await expect(open({ iconFile })).rejects.toThrow("BRAND_ICON: must be a square PNG of 512 to 1024 pixels");
});

test("a file may be cached under its own version, and not under another", async () => {
  const opened = await open({ logoFile: await put("served.svg", svg("0 0 1 1")) });
  const current = brandFileResponse(opened, opened.version, "logo.svg");
  expect(current.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(current.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(current.headers.get("content-security-policy")).toContain("sandbox");
  const older = brandFileResponse(opened, "0", "logo.svg");
  expect(older.headers.get("cache-control")).toBe("no-cache");
  expect(() => brandFileResponse(opened, opened.version, "../package.json")).toThrow();
});
