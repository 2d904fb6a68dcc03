import { expect, test } from "vitest";
import { play } from "../faults/play";
import { judge, toTable } from "../faults/report";
import { scenarios } from "../faults/scenarios";

/** The same choices each time. The full measure draws its own seed. */
const seed = 7;
const limitMs = 180_000;

for (const scenario of scenarios) {
  const { slug, promise, inTests } = scenario;
  if (inTests === false) continue;
  test(
    `${slug}: ${promise}`,
    async ({ skip }) => {
      const said: string[] = [];
      const say = (line: string) => void said.push(line);
      const outcome = await play(scenario, { scale: inTests, seed, say });
      if (outcome.skipped !== null) {
        console.warn(`\nSKIPPED: ${slug}. ${outcome.skipped}\n`);
        skip(outcome.skipped);
      }
      const account = [
        `Seed ${seed}, scale ${inTests}`,
        ...said,
        toTable([outcome]),
        outcome.error ?? "",
      ].join("\n");
      expect(judge(outcome), account).toBe("held");
    },
    limitMs,
  );
}

test("each fault has a unique slug", () => {
  const slugs = scenarios.map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(slugs.length);
});
