/** The next round number: one, two or five times a power of ten, and never below 1. */
export function roundUp(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}

type Plot = { values: readonly (number | null)[]; max: number; stepWidth: number; height: number };

/** A line in steps, so that a single value is visible too. Nothing is drawn where nothing was measured. */
export function stepPath({ values, max, stepWidth, height }: Plot): string {
  const parts = values.map((value, index) => {
    if (value === null) return "";
    const y = Math.round((height - (Math.min(value, max) / max) * height) * 100) / 100;
    const isFirst = (values[index - 1] ?? null) === null;
    return `${isFirst ? `M${index * stepWidth} ` : "V"}${y}H${(index + 1) * stepWidth}`;
  });
  return parts.join("");
}

/** Two significant digits, which is as much as a chart shows. */
export function figureText(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
}
