import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { AudioData } from "~/content/content.schema";
import { exampleKinds } from "~e2e/support/example-kinds";
import { toSignedKey } from "../kinds/page-kind";
import { RoomAudio } from "./room-audio";
import { ServedRoom } from "./served-room";

const whole: AudioData = {
  headline: "From the music box",
  title: "Lighting-up time",
  description: "A slow tune.",
  imageSrc: "/media/1/lamp.svg",
  imageAlt: "A lamp",
  audioSrc: "/media/1/song.wav",
  error: false,
};
const withoutSound: AudioData = { ...whole, audioSrc: "", error: true };
const nothing: AudioData = {
  headline: "",
  title: "",
  description: "",
  imageSrc: "",
  imageAlt: "",
  audioSrc: "",
  error: true,
};

function drawServed(audioData: AudioData): string {
  const content = { welcomeText: "", textSubmissionAreaHtml: "", audioData, styles: "", script: "" };
  const session = { signedIn: false };
  const signedKey = toSignedKey(exampleKinds, { kindName: null, tokenId: "7", vault: null });
  const served = { kind: "inside", session, content };
  return renderToStaticMarkup(createElement(ServedRoom, { served, signedKey } as never));
}

test.each([
  [
    "the room",
    (audio: AudioData) =>
      renderToStaticMarkup(createElement(RoomAudio, { audio, onBroken: () => undefined })),
  ],
  ["the room as served", drawServed],
])("%s shows words and picture without a player when the sound is missing", (_where, draw) => {
  const shown = draw(withoutSound);
  for (const text of ["From the music box", "Lighting-up time", "A slow tune.", 'alt="A lamp"']) {
    expect(shown).toContain(text);
  }
  expect(shown).toContain("The sound is missing at the moment.");
  expect(shown).not.toMatch(/<audio|Play/);

  expect(draw(whole)).toContain("<audio");
  expect(draw(whole)).not.toContain("missing");
  expect(draw(nothing)).not.toMatch(/latchkey-audio|missing/);
});
