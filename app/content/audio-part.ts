import type { AudioData } from "./content.schema";

/** Shown instead of the player, where the words and the picture are there and the sound is not. */
export const missingSoundText = "The sound is missing at the moment.";

/** Whether there is anything of the audio part to show. */
export function hasAudioPart({ headline, title, description, imageSrc, audioSrc }: AudioData): boolean {
  return [headline, title, description, imageSrc, audioSrc].some((member) => member !== "");
}
