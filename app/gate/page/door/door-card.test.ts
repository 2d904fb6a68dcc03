import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { exampleKinds } from "../kinds/example-kinds";
import { DoorCard } from "./door-card";

const host = "wiki.example.com";
const away = { phase: "away", turn: 0, notice: null };

function draw(door: object, hasLooked = true): string {
  const props = { door: { host, ...door }, settings: {}, kinds: exampleKinds, state: away, hasLooked };
  return renderToStaticMarkup(createElement(DoorCard, { ...props, actions: {} } as never));
}

test("who arrives is told which keys open the site, or that none does", () => {
  const arriving = { kind: "arriving", address: `https://${host}/`, start: "a" };
  const [first, , second] = exampleKinds;
  const both = draw({ ...arriving, keyKinds: [first.name, second!.name] });
  expect(both).toContain(`${first.title} or ${second!.title}`);
  expect(draw({ ...arriving, keyKinds: [] })).toContain("No kind of key opens that site");
});

test("that nobody is signed in is said only once a session was looked for", () => {
  const words = "You are not signed in here";
  expect(draw({ kind: "left" }, false)).not.toContain(words);
  expect(draw({ kind: "left" })).toContain(words);
});
