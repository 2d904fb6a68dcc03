import type { BrandTexts } from "./brand-texts";

/** An address of a picture, with what its place on the page has to be before it arrives. */
export type BrandLogo = {
  href: string;
  /** Width by height. */
  aspectRatio: number;
  /** Wide enough to hold the name itself. */
  isWordmark: boolean;
};

export type ManifestIcon = { src: string; sizes: string; type: string; purpose?: "maskable" };

/** How this place looks, as far as its pages have to know. All of it ends up in the HTML. */
export type Brand = {
  name: string;
  texts: BrandTexts;
  /** null: the key mark that is drawn into the page. */
  logo: BrandLogo | null;
  /** The accent's tokens, to come after the page's own; null: the ones in tokens.css. */
  stylesheetHref: string | null;
  favicon: { href: string; type: string };
  /** For home screens that take nothing but PNG; null where the operator's look has none. */
  touchIconHref: string | null;
  manifestIcons: readonly ManifestIcon[];
  themeColor: { light: string; dark: string };
  hasOfflinePage: boolean;
};
