import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { listenBriefly } from "./listen-briefly";

test("whoever still listens is told, and the signal itself has one listener for all", () => {
  const controller = new AbortController();
  const { signal } = controller;
  const told: number[] = [];
  const stops = Array.from({ length: 100 }, (_, index) =>
    listenBriefly(signal, () => {
      told.push(index);
      // One that stops while all are told takes nothing from the others.
      stops[index]!();
    }),
  );
  for (const stop of stops.slice(2, 98)) stop();
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  controller.abort();
  expect(told).toEqual([0, 1, 98, 99]);
});
