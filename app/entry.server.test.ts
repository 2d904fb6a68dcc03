import { setImmediate as letOthersRun } from "node:timers/promises";
import { Suspense, createElement } from "react";
import type { ReactNode } from "react";
import type { AppLoadContext, EntryContext } from "@remix-run/node";
import { expect, test, vi } from "vitest";
import handleRequest from "./entry.server";

let page: ReactNode;
vi.mock("@remix-run/react", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  RemixServer: () => page,
}));

async function draw(drawn: ReactNode, isGone = false) {
  page = drawn;
  const logged: unknown[] = [];
  const log = { error: ({ err }: { err: Error }) => logged.push(err.message) };
  const answer = await handleRequest(
    new Request("http://localhost/gate"),
    200,
    new Headers(),
    {} as EntryContext,
    {
      cspNonce: "n",
      signal: isGone ? AbortSignal.abort() : new AbortController().signal,
      log,
    } as unknown as AppLoadContext,
  );
  return { status: answer.status, html: await answer.text(), logged };
}

function Broken(): never {
  throw new Error("no page today");
}

test("a page waits for all of its parts, and the timer of the wait ends with it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let isThere = false;
  const arriving = letOthersRun().then(() => (isThere = true));
  function Late() {
    if (!isThere) throw arriving;
    return createElement("b", null, "late");
  }
  const part = createElement(Suspense, { fallback: "soon" }, createElement(Late));
  const { status, html, logged } = await draw(createElement("main", null, part));
  expect([status, logged, vi.getTimerCount()]).toEqual([200, [], 0]);
  expect(html).toMatch(/^<main>.*<b>late<\/b>.*<\/main>$/);
  vi.useRealTimers();
});

test("a page drawn at once is the one that is drawn with waiting", async () => {
  const part = (text: string) =>
    createElement(
      Suspense,
      { fallback: "soon" },
      createElement("b", { title: "\"'<&>" }, "a ", text, " <b>"),
    );
  let isThere = false;
  const arriving = letOthersRun().then(() => (isThere = true));
  function Late() {
    if (!isThere) throw arriving;
    return part("word");
  }
  const wrap = (inner: ReactNode) =>
    createElement("html", null, createElement("body", null, createElement(Suspense, null, inner)));
  const waited = await draw(wrap(createElement(Late)));
  const atOnce = await draw(wrap(part("word")));
  expect(atOnce).toEqual(waited);
  expect(atOnce.html).toMatch(/^<!DOCTYPE html><html>/);
});

test("a part that fails behind a boundary leaves a gap in the page, and is logged", async () => {
  const part = createElement(Suspense, { fallback: "nothing here" }, createElement(Broken));
  const { status, html, logged } = await draw(createElement("main", null, part));
  expect([status, logged]).toEqual([500, ["no page today"]]);
  expect(html).toContain("nothing here");
});

test("nothing is drawn for a visitor who is gone", async () => {
  const { html, logged } = await draw(createElement(Broken), true);
  expect([html, logged]).toEqual(["", []]);
});

test("a page that fails as a whole is left to the framework, which logs it", async () => {
  await expect(draw(createElement(Broken))).rejects.toThrow("no page today");
});
