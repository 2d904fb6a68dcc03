import { findRgb } from "~/platform/brand/colour";
import type { SettingReader } from "./setting-reader";

const maxNameChars = 40;

/** What can be judged without opening files; the files are read when the services start. */
export function readBrand({
  reader,
  mode,
}: {
  reader: SettingReader;
  mode: "production" | "development" | "demo";
}) {
  const name = reader.getText("BRAND_NAME");
  if ([...name].length > maxNameChars) {
    reader.report("BRAND_NAME", `must have at most ${maxNameChars} characters.`);
  }
  if (/\p{Cc}|\p{Bidi_Control}/u.test(name)) {
    reader.report("BRAND_NAME", "must be one line of visible characters.");
  }
  const accent = reader.findText("BRAND_ACCENT");
  if (accent !== null && !findRgb(accent)) {
    reader.report("BRAND_ACCENT", "must be a colour such as #1f4d46.");
  }
  return {
    name,
    accent,
    logoFile: reader.findText("BRAND_LOGO"),
    iconFile: reader.findText("BRAND_ICON"),
    textsFile: reader.findText("BRAND_TEXTS"),
    // While pages are being made, a page from before must never come back.
    hasOfflinePage: reader.getBoolean("OFFLINE_PAGE") && mode !== "development",
  };
}
