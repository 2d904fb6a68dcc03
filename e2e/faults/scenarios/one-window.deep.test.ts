import { expect, test } from "vitest";
import { measureOneWindow } from "./one-window";
import { isKept } from "../scenario";

/** In the full measure it is a million. */
const clients = 3_000;

test("many clients in one window: limits stay exact, memory and database bounded, and forgotten clients are reported", async () => {
  const said: string[] = [];
  const figures = await measureOneWindow({ clients, say: (line) => void said.push(line) });
  expect(said).toHaveLength(4);
  expect(figures.length).toBeGreaterThan(15);
  expect(figures.filter((figure) => !isKept(figure))).toEqual([]);
}, 300_000);
