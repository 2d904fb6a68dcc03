import { useId } from "react";
import { momentText } from "./moment";

type ChartSeries = { name: string; values: readonly (number | null)[] };

export type Chart = {
  title: string;
  summary: string;
  /** "stacked": amounts on top of one another. "lines": figures side by side. */
  kind?: "stacked" | "lines";
  unit: string;
  series: readonly ChartSeries[];
};
type ChartProps = Chart & { startsMs: readonly number[] };

const stepWidth = 10;
const height = 100;
const colours = ["accent", "brass-strong", "info-ink", "problem-ink", "line-strong"].map(
  (token) => `var(--${token})`,
);

/** Drawn on the server and stretched to the page's width. A table below has the same figures. */
export function TimeChart({ title, summary, kind = "stacked", unit, startsMs, series }: ChartProps) {
  const titleId = useId();
  const tops = startsMs.map((_, index) => {
    const values = series.map(({ values: own }) => own[index] ?? 0);
    return kind === "stacked" ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  const max = roundUp(Math.max(0, ...tops));
  const width = startsMs.length * stepWidth;
  const labels = [0, Math.floor(startsMs.length / 2), startsMs.length - 1].map(
    (index) => startsMs[index] ?? 0,
  );
  return (
    <figure className="stack operator-panel operator-chart" aria-labelledby={titleId}>
      <figcaption>
        <h2 id={titleId}>{title}</h2>
        <p className="soft">{summary}</p>
      </figcaption>
      {series.length > 1 ? <Legend series={series} /> : null}
      <div className="operator-plot">
        <div className="stack operator-plot-scale" aria-hidden="true">
          <span>{figureText(max)}</span>
          <span>{figureText(max / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${summary}`}
        >
          <path stroke="var(--line)" d={`M0 0H${width}M0 50H${width}M0 100H${width}`} />
          {kind === "stacked" ? (
            <Bars series={series} count={startsMs.length} max={max} />
          ) : (
            series.map(({ name, values }, index) => (
              <path
                key={name}
                stroke={colours[index]}
                strokeWidth="2"
                strokeDasharray={index === 1 ? "5 3" : undefined}
                d={stepPath({ values, max, stepWidth, height })}
              />
            ))
          )}
        </svg>
        <div className="operator-plot-times" aria-hidden="true">
          {labels.map((atMs) => (
            <span key={atMs}>{momentText(atMs).slice(5, 16)}</span>
          ))}
        </div>
      </div>
      <Figures title={title} unit={unit} startsMs={startsMs} series={series} />
    </figure>
  );
}

function Bars({ series, count, max }: { series: readonly ChartSeries[]; count: number; max: number }) {
  return Array.from({ length: count }, (_, step) => {
    let top = height;
    return series.map(({ name, values }, index) => {
      const barHeight = ((values[step] ?? 0) * height) / max;
      if (barHeight === 0) return null;
      top -= barHeight;
      const [x, barWidth] = [step * stepWidth + 1, stepWidth - 2];
      return <rect key={name} fill={colours[index]} x={x} y={top} width={barWidth} height={barHeight} />;
    });
  });
}

function Legend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <ul className="row operator-legend">
      {series.map(({ name }, index) => (
        <li key={name}>
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
            <rect fill={colours[index]} width="12" height="12" rx="2" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function Figures({ title, unit, startsMs, series }: Omit<ChartProps, "summary" | "kind">) {
  const steps = startsMs.flatMap((startMs, index) => {
    const values = series.map(({ values: own }) => own[index] ?? null);
    return values.some((value) => value !== null && value > 0) ? [{ startMs, values }] : [];
  });
  if (steps.length === 0) return null;
  return (
    <details className="operator-figures">
      <summary>Figures of {title.toLowerCase()} as a table</summary>
      <table className="operator-panel operator-table operator-table-plain">
        <caption className="visually-hidden">
          {title}, {unit}; steps in which nothing happened are omitted
        </caption>
        <thead>
          <tr>
            <th scope="col">From (UTC)</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="operator-cell-number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map(({ startMs, values }) => (
            <tr key={startMs}>
              <th scope="row">{momentText(startMs).slice(0, 16)}</th>
              {values.map((value, index) => (
                <td key={index} className="operator-cell-number">
                  {value === null ? "–" : figureText(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** The next round number: one, two or five times a power of ten, and never below 1. */
export function roundUp(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}

type Plot = { values: readonly (number | null)[]; max: number; stepWidth: number; height: number };

/** A line in steps, so that a single value is visible too. Gaps where nothing was measured. */
export function stepPath({ values, max, stepWidth, height }: Plot): string {
  const parts = values.map((value, index) => {
    if (value === null) return "";
    const y = Math.round((height - (Math.min(value, max) / max) * height) * 100) / 100;
    const isFirst = (values[index - 1] ?? null) === null;
    return `${isFirst ? `M${index * stepWidth} ` : "V"}${y}H${(index + 1) * stepWidth}`;
  });
  return parts.join("");
}

/** Two significant digits. */
export function figureText(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
}
