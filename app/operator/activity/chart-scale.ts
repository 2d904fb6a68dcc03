/** The next round number: one, two or five of a power of ten, and never below 1. */
export function roundUp(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}

export type Line = readonly (number | null)[];

type StepPathOptions = {
  values: Line;
  max: number;
  stepWidth: number;
  height: number;
};

/**
 * A line in steps: a value holds for the whole of its step, so that one alone is seen too. Nothing is drawn where nothing
 * was measured. `height` is that of the plot, from the top.
 */
export function stepPath({ values, max, stepWidth, height }: StepPathOptions): string {
  const parts: string[] = [];
  let isDrawing = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isDrawing = false;
      continue;
    }
    const y = Math.round((height - (Math.min(value, max) / max) * height) * 100) / 100;
    parts.push(`${isDrawing ? "V" : `M${index * stepWidth} `}${y}H${(index + 1) * stepWidth}`);
    isDrawing = true;
  }
  return parts.join("");
}

/** Two significant digits are as many as a chart's eye has. */
export function figureText(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
}
