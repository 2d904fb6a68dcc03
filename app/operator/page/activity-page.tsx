import { activitySpans } from "../activity/activity-view";
import type { ActivityPoint, ActivityView, LatencyGroup } from "../activity/activity-view";
import { figureText, TimeChart } from "./time-chart";
import type { Chart } from "./time-chart";

export function ActivityPage({ activity: { span, points, slugs } }: { activity: ActivityView }) {
  const granted = points.map((point) => point.granted);
  const tokens = points.map((point) => point.tokens);
  const refused = slugs.map((slug) => ({
    name: slug,
    values: points.map((point) => point.refused[slug] ?? 0),
  }));
  const refusals = refused.map(({ name, values }) => `${total(values)} ${name}`).join(", ");
  const charts: readonly Chart[] = [
    {
      title: "Grants",
      summary: `Content granted: ${total(granted)}.`,
      unit: "times",
      series: [{ name: "grants", values: granted }],
    },
    {
      title: "Refusals",
      summary: refusals === "" ? "Nothing was refused." : `${refusals}.`,
      unit: "times",
      series: refused,
    },
    {
      title: "Tokens",
      summary: `Estimated tokens of chat answers: ${total(tokens)}.`,
      unit: "estimated output tokens",
      series: [{ name: "tokens", values: tokens }],
    },
    { title: "Latency of the gate", ...chartLatency(points, "gate") },
    { title: "Latency of other requests", ...chartLatency(points, "rest") },
  ];
  return (
    <>
      <nav aria-label="How far back" className="row operator-actions">
        {activitySpans.map(({ name, label }) => (
          <a
            key={name}
            href={`/operator/activity?span=${name}`}
            aria-current={name === span ? "true" : undefined}
            className="operator-button"
          >
            {label}
          </a>
        ))}
      </nav>
      <div className="operator-charts">
        {charts.map((chart) => (
          <TimeChart key={chart.title} {...chart} startsMs={points.map(({ startMs }) => startMs)} />
        ))}
      </div>
    </>
  );
}

function total(values: readonly number[]): string {
  return values.reduce((sum, value) => sum + value, 0).toLocaleString("en");
}

function chartLatency(points: readonly ActivityPoint[], group: LatencyGroup): Omit<Chart, "title"> {
  const p50 = points.map(({ latency }) => latency[group].p50);
  const p95 = points.map(({ latency }) => latency[group].p95);
  const highest = Math.max(...p95.map((value) => value ?? 0));
  const slowest = `In its slowest step, 95 of 100 responses took at most ${figureText(highest)} ms.`;
  return {
    summary: highest === 0 ? "There were no requests." : slowest,
    kind: "lines",
    unit: "milliseconds",
    series: [
      { name: "half within (ms)", values: p50 },
      { name: "95 % within (ms)", values: p95 },
    ],
  };
}
