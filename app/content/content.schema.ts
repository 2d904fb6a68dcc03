import * as z from "zod";

const audioDataSchema = z
  .object({
    headline: z.string(),
    imageSrc: z.string().describe("Signed, short-lived address of the picture; empty when there is none."),
    imageAlt: z.string(),
    description: z.string(),
    title: z.string(),
    audioSrc: z
      .string()
      .describe(
        "Signed, short-lived address of the sound, with Range support; empty when there is no sound to play.",
      ),
    error: z
      .boolean()
      .describe(
        "True when there is no sound to play: `audioSrc` is then empty, and the other members hold what there is.",
      ),
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
  .describe(
    "The gated payload. A part that is missing or broken on the server is empty; of the audio part only what is missing.",
  );

/** The operator's audio.json. Any file name passes, so that a wrong one doesn't cost the rest. */
export const audioFileSchema = z.object({
  headline: z.string().default(""),
  title: z.string().default(""),
  description: z.string().default(""),
  audioSrc: z.string().default(""),
  imageSrc: z.string().default(""),
  imageAlt: z.string().default(""),
});

/** For keys that don't open the room. */
export const emptyContent: GatedContent = Object.freeze({
  welcomeText: "",
  textSubmissionAreaHtml: "",
  audioData: { ...audioFileSchema.parse({}), error: true },
  styles: "",
  script: "",
});

export type AudioData = z.infer<typeof audioDataSchema>;
export type GatedContent = z.infer<typeof gatedContentSchema>;
export type AudioFile = z.infer<typeof audioFileSchema>;
