import type { Outcome } from "./report";
import type { Scenario, ScenarioRun } from "./scenario";

/** Plays one fault; any failure is part of the outcome. */
export async function play(scenario: Scenario, run: ScenarioRun): Promise<Outcome> {
  const { slug, promise } = scenario;
  const startedAt = performance.now();
  const outcomeOf = (rest: Partial<Outcome>): Outcome => ({
    slug,
    promise,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    figures: [],
    error: null,
    skipped: null,
    ...rest,
  });
  try {
    const result = await scenario.run(run);
    return "skipped" in result ? outcomeOf(result) : outcomeOf({ figures: result });
  } catch (error) {
    run.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return outcomeOf({ error: String(error) });
  }
}
