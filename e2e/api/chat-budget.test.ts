import { expect, test } from "vitest";
import { inputsOf, listScripts, listScriptsOf, weigh } from "~e2e/support/build-scripts";

const landing = listScriptsOf(["entry.client", "root", "routes/_index"]);
const chat = listScripts("routes/chat");

test("the chat adds at most 60 KB of script to what every page loads", () => {
  const added = [...chat].filter((file) => file.endsWith(".js") && !landing.has(file));
  expect(added.length).toBeGreaterThan(0);
  expect(weigh(added)).toBeLessThanOrEqual(60_000);
});

test("no other page loads the chat's code", () => {
  const holds = (files: Iterable<string>, source: RegExp) =>
    inputsOf(files).some((input) => source.test(input));
  expect(holds(chat, /app\/chat\/page\/conversation\/chat-session\.ts$/)).toBe(true);
  for (const files of [landing, listScripts("routes/gate"), listScripts("routes/docs")]) {
    expect(holds(files, /app\/chat\//)).toBe(false);
  }
});
