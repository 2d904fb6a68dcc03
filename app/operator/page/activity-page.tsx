import { activitySpans } from "../activity/activity-view";
import type { ActivityPoint, ActivityView } from "../activity/activity-view";
import type { LatencyGroup } from "../activity/activity-series";
import { figureText } from "../activity/chart-scale";
import { TimeChart } from "./time-chart";

export function ActivityPage({ activity: { span, points, slugs } }: { activity: ActivityView }) {
  const startsMs = points.map(({ startMs }) => startMs);
  const granted = points.map((point) => point.granted);
  const tokens = points.map((point) => point.tokens);
  const refused = slugs.map((slug) => ({
    name: slug,
    values: points.map((point) => point.refused[slug] ?? 0),
  }));
  const refusals = refused.map(({ name, values }) => `${total(values)} ${name}`).join(", ");
  return (
    <>
      <nav aria-label="How far back" className="operator-actions">
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
        <TimeChart
          title="Grants"
          summary={`Times content was granted: ${total(granted)}.`}
          unit="times"
          startsMs={startsMs}
          series={[{ name: "grants", values: granted }]}
        />
        <TimeChart
          title="Refusals"
          summary={refusals === "" ? "Nothing was refused." : `${refusals}.`}
          unit="times"
          startsMs={startsMs}
          series={refused}
        />
        <TimeChart
          title="Tokens"
          summary={`Estimated tokens of the answers in the chat: ${total(tokens)}.`}
          unit="estimated output tokens"
          startsMs={startsMs}
          series={[{ name: "tokens", values: tokens }]}
        />
        <Latency title="Latency of the gate" points={points} group="gate" />
        <Latency title="Latency of all else" points={points} group="rest" />
      </div>
    </>
  );
}

function total(values: readonly number[]): string {
  return values.reduce((sum, value) => sum + value, 0).toLocaleString("en");
}

type LatencyProps = { title: string; points: readonly ActivityPoint[]; group: LatencyGroup };

function Latency({ title, points, group }: LatencyProps) {
  const p50 = points.map(({ latency }) => latency[group].p50);
  const p95 = points.map(({ latency }) => latency[group].p95);
  const highest = Math.max(...p95.map((value) => value ?? 0));
  return (
    <TimeChart
      title={title}
      summary={
        highest === 0
          ? "Nothing was asked."
          : `In its slowest step, 95 of 100 answers took at most ${figureText(highest)} ms.`
      }
      kind="lines"
      unit="milliseconds"
      startsMs={points.map(({ startMs }) => startMs)}
      series={[
        { name: "half within (ms)", values: p50 },
        { name: "95 % within (ms)", values: p95 },
      ]}
    />
  );
}
