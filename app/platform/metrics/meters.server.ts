import { Counter, Gauge, Histogram } from "prom-client";
import type { Registry } from "prom-client";
import { withDeadline } from "../time/deadline";

const readTimeoutMs = 1_000;

type GaugeReading = { labels?: Record<string, string>; read: () => Promise<number> };
type LabelledReading = { label: string; read: () => Record<string, number> };

export type Meters = ReturnType<typeof createMeters>;

/** Makes metrics in one registry, with our prefix. */
export function createMeters(registry: Registry) {
  const describe = (name: string, help: string) => ({
    name: `latchkey_${name}`,
    help,
    registers: [registry],
  });
  /** A failed or slow read is NaN: unknown, not zero. It must not take the other figures with it. */
  const readInTime = (read: () => Promise<number>) =>
    withDeadline(read(), readTimeoutMs).catch(() => Number.NaN);

  return {
    counter: <Name extends string = never>(name: string, help: string, labelNames: readonly Name[] = []) =>
      new Counter({ ...describe(name, help), labelNames }),
    gauge: <Name extends string>(name: string, help: string, labelNames: readonly Name[]) =>
      new Gauge({ ...describe(name, help), labelNames }),
    timer: <Name extends string = never>(
      name: string,
      help: string,
      { buckets, labelNames = [] }: { buckets: number[]; labelNames?: readonly Name[] },
    ) => new Histogram({ ...describe(name, help), buckets, labelNames }),
    /** Read at each scrape. All processes share what it reads, so several of them report the same. */
    readGauge(name: string, help: string, readings: readonly GaugeReading[]): void {
      registry.removeSingleMetric(`latchkey_${name}`);
      new Gauge({
        ...describe(name, help),
        labelNames: readings.flatMap(({ labels = {} }) => Object.keys(labels)),
        aggregator: "max",
        async collect() {
          const values = await Promise.all(readings.map(({ read }) => readInTime(read)));
          readings.forEach(({ labels = {} }, index) => this.set(labels, values[index]!));
        },
      });
    },
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
    /** The same for what is counted elsewhere. */
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
