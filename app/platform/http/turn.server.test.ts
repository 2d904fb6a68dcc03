import { expect, test } from "vitest";
import { takeTurn } from "./turn.server";

test("each caller gets a turn of its own, in their order, and others run in between", async () => {
  const events: string[] = [];
  const count = () => {
    events.push("other");
    if (events.length < 20) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(["a", "b", "c"].map((name) => takeTurn().then(() => events.push(name))));
  expect(events.filter((event) => event !== "other")).toEqual(["a", "b", "c"]);
  expect(events.join(" ")).toMatch(/a( other)+ b( other)+ c/);
});

test("a newcomer waits for one turn of each other client, however many those want", async () => {
  const turns: string[] = [];
  const take = (client: string) => takeTurn(client).then(() => turns.push(client));
  await Promise.all([..."aaaabbc"].map(take));
  expect(turns.join("")).toBe("abcabaa");
  await take("a");
});
