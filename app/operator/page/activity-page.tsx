import { activitySpans } from "../activity/activity-view";
import type { ActivityPoint, ActivityView } from "../activity/activity-view";
import type { LatencyGroup } from "../activity/activity-series";
import { figureText } from "../activity/chart-scale";
import { TimeChart } from "./time-chart";

export function ActivityPage({ activity }: { activity: ActivityView }) {
  const { points, slugs } = activity;
  const startsMs = points.map(({ startMs }) => startMs);
  const granted = points.map((point) => point.granted);
  const tokens = points.map((point) => point.tokens);
  const refused = slugs.map((slug) => ({
    name: slug,
    values: points.map((point) => point.refused[slug] ?? 0),
  }));
  const total = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0).toLocaleString("en");
  return (
    <>
      <nav aria-label="How far back" className="operator-spans">
        {activitySpans.map(({ name, label }) => (
          <a
            key={name}
            href={`/operator/activity?span=${name}`}
            aria-current={name === activity.span ? "true" : undefined}
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
          kind="stacked"
          unit="times"
          startsMs={startsMs}
          series={[{ name: "grants", values: granted }]}
        />
        <TimeChart
          title="Refusals"
          summary={
            refused.length === 0
              ? "Nothing was refused."
              : `${refused.map(({ name, values }) => `${total(values)} ${name}`).join(", ")}.`
          }
          kind="stacked"
          unit="times"
          startsMs={startsMs}
          series={refused}
        />
        <TimeChart
          title="Tokens"
          summary={`Estimated tokens of the answers in the chat: ${total(tokens)}.`}
          kind="stacked"
          unit="estimated output tokens"
          startsMs={startsMs}
          series={[{ name: "tokens", values: tokens }]}
        />
        <Latency title="Latency of the gate" points={points} startsMs={startsMs} group="gate" />
        <Latency title="Latency of all else" points={points} startsMs={startsMs} group="rest" />
      </div>
    </>
  );
}

type LatencyProps = {
  title: string;
  points: readonly ActivityPoint[];
  startsMs: readonly number[];
  group: LatencyGroup;
};

/** What streams is timed nowhere here: it takes as long as its answer. */
function Latency({ title, points, startsMs, group }: LatencyProps) {
  const values = (share: "p50" | "p95") => points.map(({ latency }) => latency[group][share]);
  const highest = Math.max(...values("p95").map((value) => value ?? 0));
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
      startsMs={startsMs}
      series={[
        { name: "half within (ms)", values: values("p50") },
        { name: "95 % within (ms)", values: values("p95") },
      ]}
    />
  );
}
