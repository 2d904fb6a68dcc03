import sanitizeHtml from "sanitize-html";
import { decodeReferences } from "~/platform/text/character-references";
import { hasAudioPart, missingSoundText } from "./audio-part";
import type { GatedContent } from "./content.schema";
import { renderOnce } from "./render-once.server";

/** The gated content for readers without a page: without markup, styles and script. */
export function writeContentText({ welcomeText, textSubmissionAreaHtml, audioData }: GatedContent): string {
  const { headline, title, description, audioSrc, imageAlt, imageSrc } = audioData;
  const words = [headline, title, description].filter((line) => line !== "");
  const listen = audioSrc === "" ? missingSoundText : `Listen: ${audioSrc}`;
  const picture = `Picture${imageAlt === "" ? "" : ` (${imageAlt})`}: ${imageSrc}`;
  const audioLines = hasAudioPart(audioData) ? [...words, listen, ...(imageSrc === "" ? [] : [picture])] : [];
  const sections = [
    { heading: "Welcome", text: welcomeText.trim() },
    { heading: "The one-time form", text: toPlainText(textSubmissionAreaHtml) },
    { heading: "Audio", text: audioLines.join("\n") },
  ].filter(({ text }) => text !== "");
  if (sections.length === 0) return "There is nothing behind the gate at the moment.";
  return sections.map(({ heading, text }) => `# ${heading}\n\n${text}`).join("\n\n");
}

const toPlainText = renderOnce((html) => {
  const words = sanitizeHtml(html, { allowedTags: [], allowedAttributes: {} });
  return decodeReferences(words, (unknown) => unknown)
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
});
