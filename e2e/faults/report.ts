import { toTable as layOut } from "~e2e/bench/report";
import { isKept } from "./scenario";
import type { Bound, Figure } from "./scenario";

export type Outcome = {
  slug: string;
  promise: string;
  seconds: number;
  figures: Figure[];
  /** The reason it stopped early. Null if it didn't. */
  error: string | null;
  /** The reason it was skipped here. Null if it wasn't. */
  skipped: string | null;
};

type Judged = Omit<Outcome, "seconds">;

export type Verdict = "held" | "broken" | "skipped";

/** A scenario without measurements hasn't held. */
export function judge({ figures, error, skipped }: Judged): Verdict {
  if (skipped !== null) return "skipped";
  return error === null && figures.length > 0 && figures.every(isKept) ? "held" : "broken";
}

export function countVerdicts(outcomes: readonly Judged[]): string {
  const count = (verdict: Verdict) => outcomes.filter((outcome) => judge(outcome) === verdict).length;
  const [held, broken, skipped] = [count("held"), count("broken"), count("skipped")];
  return `${held} passed, ${broken} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

function sayBound(bound: Bound): string {
  if ("equals" in bound) return bound.equals.toLocaleString("en");
  return "atMost" in bound
    ? `≤ ${bound.atMost.toLocaleString("en")}`
    : `≥ ${bound.atLeast.toLocaleString("en")}`;
}

/** A Markdown table, which also reads well in a terminal. */
export function toTable(outcomes: readonly Judged[]): string {
  const rows = outcomes.flatMap((outcome) => [
    ...outcome.figures.map((figure) => [
      outcome.slug,
      figure.what,
      sayMeasured(figure),
      [sayBound(figure.bound), figure.unit].filter(Boolean).join(" "),
      isKept(figure) ? "held" : "**BROKEN**",
    ]),
    ...(outcome.error === null ? [] : [[outcome.slug, "played to its end", "no", "yes", "**BROKEN**"]]),
    ...(outcome.skipped === null ? [] : [[outcome.slug, outcome.skipped, "", "", "SKIPPED"]]),
  ]);
  return layOut(["Fault", "Figure", "Measured", "Must be", ""], rows, 2);
}

function sayMeasured({ measured, unit }: Figure): string {
  const number = measured.toLocaleString("en", { maximumFractionDigits: 2 });
  return unit ? `${number} ${unit}` : number;
}
