import { z } from "zod";
import { isMediaFile } from "./media-file";

/** What a holder receives. The same shapes describe the answer in the OpenAPI document. */
export const audioDataSchema = z
  .object({
    headline: z.string(),
    imageSrc: z.string().describe("Signed, short-lived address of the picture; empty when there is none."),
    imageAlt: z.string(),
    description: z.string(),
    title: z.string(),
    audioSrc: z.string().describe("Signed, short-lived address of the sound, with Range support."),
    error: z
      .boolean()
      .describe("True when there is no audio to play; every string of this object is then empty."),
  })
  .describe("The audio part of the room.");

export const gatedContentSchema = z
  .object({
    welcomeText: z
      .string()
      .describe(
        "Markdown source, without front matter, readable as plain text. Its relative images point at signed, short-lived addresses. Render it, then sanitise the result.",
      ),
    textSubmissionAreaHtml: z
      .string()
      .describe(
        "HTML fragment of the one-time form, sanitised on delivery; ids and names begin with `room-`. Sanitise it again before insertion.",
      ),
    audioData: audioDataSchema,
    styles: z
      .string()
      .describe(
        "CSS text, written for a scoped container. Insert it as text, never by concatenation into HTML.",
      ),
    script: z
      .string()
      .describe("JavaScript text, written for a sandboxed frame of opaque origin. Never run it elsewhere."),
  })
  .describe("The gated payload. A part that is missing or broken on the server is empty.");

/**
 * The operator's audio.json: the fields of the contract, with names of files beside it in place of addresses.
 * A fault of the picture must not cost the sound, so any `imageSrc` passes here; whether there is such a file
 * is seen when it is looked for.
 */
export const audioFileSchema = z.object({
  headline: z.string().default(""),
  title: z.string().default(""),
  description: z.string().default(""),
  audioSrc: z
    .string()
    .refine((file) => isMediaFile({ file, kind: "audio" }), "must name an audio file in the content folder"),
  imageSrc: z.string().default(""),
  imageAlt: z.string().default(""),
});

export type AudioData = z.infer<typeof audioDataSchema>;
export type GatedContent = z.infer<typeof gatedContentSchema>;
export type AudioFile = z.infer<typeof audioFileSchema>;
