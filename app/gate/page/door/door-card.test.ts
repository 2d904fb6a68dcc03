import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { exampleKinds } from "~e2e/support/example-kinds";
import { away } from "../gate-state";
import { DoorCard } from "./door-card";

const host = "wiki.example.com";

function draw(door: object, { look = "done", state = away }: { look?: string; state?: object } = {}): string {
  const props = { door: { host, ...door }, settings: {}, kinds: exampleKinds, state, look };
  return renderToStaticMarkup(createElement(DoorCard, { ...props, actions: {} } as never));
}

test("who arrives is told which keys open the site, or that none does", () => {
  const arriving = { kind: "arriving", address: `https://${host}/`, start: "a" };
  const [first, , second] = exampleKinds;
  const both = draw({ ...arriving, keyKinds: [first.name, second!.name] });
  expect(both).toContain(`${first.title} or ${second!.title}`);
  expect(draw({ ...arriving, keyKinds: [] })).toContain("No key opens that site");
});

test("that nobody is signed in is said only where that was found out, and otherwise one can sign out", () => {
  const [words, button] = ["You are not signed in here", "Sign out here too"];
  const said = (look: string) => {
    const html = draw({ kind: "left" }, { look });
    return [html.includes(words), html.includes(button)];
  };
  expect(said("under-way")).toEqual([false, false]);
  expect(said("done")).toEqual([true, false]);
  expect(said("failed")).toEqual([false, true]);
});

test("who signed in, and whose browser keeps no cookie of the gate, is told what they wait for", () => {
  const arriving = { kind: "arriving", address: `https://${host}/`, start: "a", keyKinds: [] };
  const state = { ...away, room: { session: null } };
  const html = draw({ ...arriving, keyKinds: [exampleKinds[0].name] }, { state });
  expect(html).toContain("allow cookies for the gate");
  expect(html).not.toContain("Sign in below");
});
