import { expect, test } from "vitest";
import { writeContentText } from "./content-text.server";

const audioData = {
  headline: "Hear this",
  title: "A tune",
  description: "Two minutes.",
  error: false,
  audioSrc: "https://gate.example/media/7/a.mp3?exp=1&sig=x",
  imageSrc: "",
  imageAlt: "",
};
const silence = {
  headline: "",
  title: "",
  description: "",
  audioSrc: "",
  imageSrc: "",
  imageAlt: "",
  error: true,
};
const empty = { welcomeText: "", textSubmissionAreaHtml: "", audioData: silence, styles: "", script: "" };

test("content is written under headings, without markup, styles and script", () => {
  const text = writeContentText({
    welcomeText: "\nHello **you**.\n",
    textSubmissionAreaHtml:
      "<form><p>Say &lt;something&gt; &amp; send</p><textarea></textarea><script>x()</script></form>",
    audioData,
    styles: "body { color: red }",
    script: "alert(1)",
  });
  expect(text).toBe(
    [
      "# Welcome\n\nHello **you**.",
      "# The one-time form\n\nSay <something> & send",
      `# Audio\n\nHear this\nA tune\nTwo minutes.\nListen: ${audioData.audioSrc}`,
    ].join("\n\n"),
  );
});

test("an audio part without its sound keeps its words and says that the sound is missing", () => {
  const imageSrc = "https://gate.example/media/7/p.png";
  const withoutSound = { ...audioData, imageSrc, audioSrc: "", error: true };
  expect(writeContentText({ ...empty, audioData: withoutSound })).toBe(
    `# Audio\n\nHear this\nA tune\nTwo minutes.\nThe sound is missing at the moment.\nPicture: ${imageSrc}`,
  );
});

test("a picture is named by its words, an empty audio part is omitted, and an empty room is said to be empty", () => {
  const imageSrc = "https://gate.example/media/7/p.png";
  expect(writeContentText({ ...empty, audioData: { ...audioData, imageSrc, imageAlt: "A cat" } })).toContain(
    `Picture (A cat): ${imageSrc}`,
  );
  expect(writeContentText({ ...empty, welcomeText: "Hi" })).toBe("# Welcome\n\nHi");
  expect(writeContentText(empty)).toBe("There is nothing behind the gate at the moment.");
});
