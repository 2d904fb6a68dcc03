import * as z from "zod";

const line = (maxChars: number) =>
  z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(maxChars, `must have at most ${maxChars} characters`)
    // Bidirectional controls could make a sentence say something else.
    .refine((text) => !/\p{Cc}|\p{Bidi_Control}/u.test(text), "must be one line without control characters");

/** The file BRAND_TEXTS names. Everything in it is plain text. */
export const brandTextsSchema = z.strictObject({
  lang: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, "must be a language such as en, de or pt-BR")
    .optional(),
  description: line(200).optional(),
  headline: line(80).optional(),
  lead: line(320).optional(),
  steps: z
    .array(z.strictObject({ title: line(40), text: line(240) }))
    .min(2, "must have 2 to 4 steps")
    .max(4, "must have 2 to 4 steps")
    .optional(),
  footer: line(200).optional(),
  gateIntro: line(320).optional(),
});

/** All of it ends up in the HTML. */
export type Brand = {
  name: string;
  texts: z.infer<typeof brandTextsSchema>;
  /** `isWordmark`: wide enough to contain the name itself. null: the built-in key mark. */
  logo: { href: string; aspectRatio: number; isWordmark: boolean } | null;
  /** null: the tokens in tokens.css. */
  stylesheetHref: string | null;
  favicon: { href: string; type: string };
  /** For home screens that need PNG; null if the operator's look has none. */
  touchIconHref: string | null;
  themeColor: { light: string; dark: string };
  hasOfflinePage: boolean;
  hasChat: boolean;
};

export type ManifestIcon = { src: string; sizes: string; type: string; purpose?: "maskable" };

export type Manifest = ReturnType<typeof writeManifest>;

export function writeManifest({ name, texts, themeColor, hasChat }: Brand, icons: readonly ManifestIcon[]) {
  return {
    id: "/",
    name,
    // Home screens cut off longer names.
    short_name: [...name].length <= 12 ? name : [...name].slice(0, 12).join("").trim(),
    ...(texts.description ? { description: texts.description } : {}),
    ...(texts.lang ? { lang: texts.lang } : {}),
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: themeColor.light,
    theme_color: themeColor.light,
    icons,
    shortcuts: [{ name: "The room", url: "/gate" }, ...(hasChat ? [{ name: "Chat", url: "/chat" }] : [])],
  };
}
