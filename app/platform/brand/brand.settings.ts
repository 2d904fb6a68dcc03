import { flag, setting, text } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { findRgb } from "./accent";

const maxNameChars = 40;

/** Files are read when the services start. */
export const brandSettings = {
  name: setting(
    "BRAND_NAME",
    { parse: parseName, range: `at most ${maxNameChars} characters`, default: "Latchkey" },
    "Name of the place, in its header, titles, link previews and on home screens.",
  ),
  accent: setting(
    "BRAND_ACCENT",
    { parse: parseAccent, range: "`#rrggbb`" },
    "Colour of buttons and links. Its lightness is moved where a theme (light, dark, high contrast) could not be read otherwise; the log says so. Default: a dark green.",
  ),
  logoFile: text(
    "BRAND_LOGO",
    { range: "SVG with a viewBox, or PNG; at most 200 KiB" },
    "File with your logo. One wider than 2:1 stands without the name beside it. It is served to everybody: keep it outside CONTENT_DIR.",
  ),
  iconFile: text(
    "BRAND_ICON",
    { range: "square PNG of 512 to 1024 pixels" },
    "File with a picture for home screens. Default: made from a square logo, else from the accent.",
  ),
  textsFile: text(
    "BRAND_TEXTS",
    { range: "JSON object; at most 200 KiB" },
    "File with texts of your own: headline, lead, steps, footer, gateIntro, description, lang. What it leaves out stays as it is.",
  ),
  hasOfflinePage: flag(
    "OFFLINE_PAGE",
    { default: true, switches: { name: "Offline page on visitors' devices" } },
    "Keeps one page on visitors' devices that says they are offline (a service worker). false also takes it back from devices that have it. Always off in development.",
  ),
};

export function readBrand(reader: SettingReader) {
  const values = reader.read(brandSettings);
  if (reader.mode !== "development") return values;
  // During development an old page must never come back.
  reader.setSwitch(
    brandSettings.hasOfflinePage,
    false,
    "LATCHKEY_MODE is development, where OFFLINE_PAGE counts for nothing.",
  );
  return { ...values, hasOfflinePage: false };
}

function parseName(given: string): string {
  if ([...given].length > maxNameChars) {
    throw new InvalidSetting(`must have at most ${maxNameChars} characters.`);
  }
  if (/\p{Cc}|\p{Bidi_Control}/u.test(given)) {
    throw new InvalidSetting("must be one line of visible characters.");
  }
  return given;
}

function parseAccent(given: string): string {
  if (!findRgb(given)) throw new InvalidSetting("must be a colour such as #1f4d46.");
  return given;
}
