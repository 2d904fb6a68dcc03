import { Counter, Gauge, Histogram } from "prom-client";
import type { Registry } from "prom-client";
import { withDeadline } from "../time/deadline";

/** Before the name of every metric of ours. */
export const metricPrefix = "latchkey_";
/** Label values come from our own tables; the bound holds even if one day a client's text finds its way into a label. */
const maxLabelValues = 64;
const answerTimeoutMs = 1_000;

/** A label that is omitted is not shown. */
type Labels<Name extends string> = Partial<Record<Name, string>>;
type GaugeReading = { labels?: Record<string, string>; read: () => Promise<number> };
type HistogramOptions<Name extends string> = { buckets: number[]; labelNames?: readonly Name[] };
type LabelledReading = { label: string; read: () => Record<string, number> };

export type Meters = ReturnType<typeof createMeters>;

/** Makes metrics in one registry. Label values beyond 64 different ones become "other". */
export function createMeters(registry: Registry) {
  const describe = (name: string, help: string) => ({
    name: `${metricPrefix}${name}`,
    help,
    registers: [registry],
  });

  function readGauges(name: string, help: string, readings: readonly GaugeReading[]): void {
    registry.removeSingleMetric(`${metricPrefix}${name}`);
    new Gauge({
      ...describe(name, help),
      labelNames: [...new Set(readings.flatMap(({ labels = {} }) => Object.keys(labels)))],
      // It is read from what all processes share: several of them tell the same.
      aggregator: "max",
      async collect() {
        // A database that is away must not take the other figures with it.
        const ask = (read: () => Promise<number>) =>
          withDeadline(read(), answerTimeoutMs).catch(() => Number.NaN);
        const values = await Promise.all(readings.map(({ read }) => ask(read)));
        readings.forEach(({ labels = {} }, index) => this.set(labels, values[index]!));
      },
    });
  }

  return {
    counter<Name extends string = never>(name: string, help: string, labelNames: readonly Name[] = []) {
      const counter = new Counter({ ...describe(name, help), labelNames });
      const bound = createLabelBound<Name>();
      return (labels: Labels<Name>, amount = 1) => counter.inc(bound(labels), amount);
    },
    histogram<Name extends string = never>(
      name: string,
      help: string,
      { buckets, labelNames = [] }: HistogramOptions<Name>,
    ) {
      const histogram = new Histogram({ ...describe(name, help), buckets, labelNames });
      const bound = createLabelBound<Name>();
      return (labels: Labels<Name>, value: number) => histogram.observe(bound(labels), value);
    },
    /** Counts up; what it returns counts down again. */
    upDownGauge<Name extends string>(name: string, help: string, labelNames: readonly Name[]) {
      const gauge = new Gauge({ ...describe(name, help), labelNames });
      const bound = createLabelBound<Name>();
      return (labels: Labels<Name>) => {
        const bounded = bound(labels);
        gauge.inc(bounded);
        return () => gauge.dec(bounded);
      };
    },
    /** Read at each scrape. While that fails or takes longer than a second it says NaN: unknown, not zero. */
    readGauges,
    readGauge: (name: string, help: string, read: () => Promise<number>) =>
      readGauges(name, help, [{ read }]),
    /** Read at each scrape, one value for each of the label's. */
    labelledGauge(name: string, help: string, { label, read }: LabelledReading): void {
      new Gauge({
        ...describe(name, help),
        labelNames: [label],
        collect() {
          for (const [value, count] of Object.entries(read())) this.set({ [label]: value }, count);
        },
      });
    },
    /** The same of what is counted elsewhere. */
    labelledCounter(name: string, help: string, { label, read }: LabelledReading): void {
      new Counter({
        ...describe(name, help),
        labelNames: [label],
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      });
    },
  };
}

function createLabelBound<Name extends string>(): (labels: Labels<Name>) => Labels<Name> {
  const seen = new Map<string, Set<string>>();
  function bound(name: string, value: string): string {
    const values = seen.get(name) ?? new Set();
    if (values.has(value)) return value;
    if (values.size >= maxLabelValues) return "other";
    seen.set(name, values.add(value));
    return value;
  }
  return (labels) =>
    Object.fromEntries(
      Object.entries<string | undefined>(labels).map(([name, value]) => [name, value && bound(name, value)]),
    ) as Labels<Name>;
}
