import type { Setting } from "./setting";

/** The part of the list of settings that is about what people see: docs/branding.md shows them at work. */
export const brandSettings = [
  {
    name: "BRAND_NAME",
    group: "Appearance",
    default: "Latchkey",
    effect:
      "Name of the place, in its header, titles, link previews and on home screens; up to 40 characters.",
  },
  {
    name: "BRAND_ACCENT",
    group: "Appearance",
    effect:
      "Colour of buttons and links, as `#rrggbb`. Its lightness is moved where a theme (light, dark, high contrast) could not be read otherwise; the log says so. Default: a dark green.",
  },
  {
    name: "BRAND_LOGO",
    group: "Appearance",
    effect:
      "File with your logo, SVG (with a viewBox) or PNG, up to 200 KiB. One wider than 2:1 stands without the name beside it. It is served to everybody: keep it outside CONTENT_DIR.",
  },
  {
    name: "BRAND_ICON",
    group: "Appearance",
    effect:
      "Square PNG of 512 to 1024 pixels for home screens. Default: made from a square logo, else from the accent.",
  },
  {
    name: "BRAND_TEXTS",
    group: "Appearance",
    effect:
      "JSON file with texts of your own: headline, lead, steps, footer, gateIntro, description, lang. What it leaves out stays as it is.",
  },
  {
    name: "OFFLINE_PAGE",
    group: "Appearance",
    default: "true",
    effect:
      "Keeps one page on visitors' devices that says they are offline (a service worker). false also takes it back from devices that have it. Always off in development.",
  },
] as const satisfies readonly Setting[];
