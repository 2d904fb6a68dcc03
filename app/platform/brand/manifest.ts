import type { Brand } from "./brand";

/** What a phone needs to put this place on its home screen. */
export function writeManifest({ name, texts, themeColor, manifestIcons }: Brand) {
  return {
    id: "/",
    name,
    // Home screens cut off what is longer.
    short_name: [...name].length <= 12 ? name : [...name].slice(0, 12).join("").trim(),
    ...(texts.description ? { description: texts.description } : {}),
    ...(texts.lang ? { lang: texts.lang } : {}),
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: themeColor.light,
    theme_color: themeColor.light,
    icons: manifestIcons,
    shortcuts: [
      { name: "The room", url: "/gate" },
      { name: "Chat", url: "/chat" },
    ],
  };
}
