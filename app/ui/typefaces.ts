import head from "@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2";
import text from "@fontsource-variable/source-sans-3/files/source-sans-3-latin-wght-normal.woff2";

/** The faces of every page, which are preloaded. */
export const pageFaces: readonly string[] = [text, head];
