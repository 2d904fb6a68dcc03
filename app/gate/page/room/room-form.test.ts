import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { emptyContent } from "~/content/content.schema";
import { exampleKinds, founder } from "~e2e/support/example-kinds";
import { toSignedKey } from "../kinds/page-kind";
import { ServedRoom } from "./served-room";
import { Room } from "./room";

const vault = `0x${"ab".repeat(20)}`;
const content = { ...emptyContent, textSubmissionAreaHtml: "<textarea></textarea>" };
const trusting = { ...founder, name: "trusting", delegatesMayUse: true };

const form = { step: "open", askedText: null, notice: null, receipt: null };
const room = { grant: { content }, session: null, form, isReloading: false };
const state = { room, account: null, notice: null };
const served = { kind: "inside", session: { signedIn: false }, content };

test.each([
  ["the room", () => Room, { state, isServed: false, actions: {} }],
  ["the room as served", () => ServedRoom, { served }],
])("%s has a sentence in the form's place for delegates who may not send it", (_where, find, props) => {
  const draw = (kindName: string, of: string | null) => {
    const signedKey = toSignedKey([...exampleKinds, trusting], { kindName, tokenId: "7", vault: of });
    return renderToStaticMarkup(createElement(find() as never, { ...props, signedKey } as never));
  };
  const sentence = "The form in this room is for the wallet that holds the key";
  expect(draw("founder", vault)).toContain(sentence);
  expect(draw("founder", vault)).not.toMatch(/which your wallet signs/);
  for (const shown of [draw("founder", null), draw("trusting", vault)]) expect(shown).not.toContain(sentence);
});
