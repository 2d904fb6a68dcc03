import { z } from "zod";

const line = (maxChars: number) =>
  z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(maxChars, `must have at most ${maxChars} characters`)
    // Invisible marks that turn the order of letters around could make a sentence say something else.
    .refine((text) => !/\p{Cc}|\p{Bidi_Control}/u.test(text), "must be one line without control characters");

/** The file BRAND_TEXTS names. Everything in it is plain text: what looks like markup is shown as it is written. */
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

export type BrandTexts = z.infer<typeof brandTextsSchema>;
