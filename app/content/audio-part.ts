import type { AudioData } from "./content.schema";

/** Shown instead of the player if only the sound is missing. */
export const missingSoundText = "The sound is missing at the moment.";

export function hasAudioPart({ headline, title, description, imageSrc, audioSrc }: AudioData): boolean {
  return [headline, title, description, imageSrc, audioSrc].some((member) => member !== "");
}
