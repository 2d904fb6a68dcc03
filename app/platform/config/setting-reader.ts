import { oneOf } from "./kinds";
import { describeSwitch, InvalidSetting, isSetting } from "./setting";
import type { Mode, Setting, Settings, Switch, ValuesOf } from "./setting";

export type Environment = Readonly<Record<string, string | undefined>>;

/** All mistakes in the configuration, by name and never with a value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  /** `warnings`: a mistyped name often explains a missing setting. */
  constructor(
    readonly problems: readonly string[],
    warnings: readonly string[],
  ) {
    const heading = `The configuration has ${problems.length} problem${problems.length === 1 ? "" : "s"}:`;
    const aside = warnings.length > 0 ? ["\nBesides, worth a look:", ...warnings.map(listed)] : [];
    super([heading, ...problems.map(listed), ...aside].join("\n"));
  }
}

const listed = (line: string) => `- ${line}`;

/** Other settings depend on it, so the reader parses it first. */
export const modeSetting = oneOf(
  "LATCHKEY_MODE",
  {
    of: ["production", "development", "demo"],
    default: "production",
    switches: { name: "Demo", onAt: "demo" },
  },
  "`npm start` is always `production`. Outside production missing keys are generated and local defaults apply.",
);

/** Parses rows of settings and collects mistakes, so that an operator sees all of them at once. */
export function createSettingReader(environment: Environment) {
  const problems: string[] = [];
  const warnings: string[] = [];
  const switches = new Map<Setting, Switch>();
  const values = new Map<Setting, unknown>();
  let mode: Mode = "production";

  const isGiven = (name: string) => Boolean(environment[name]?.trim());
  const report = (row: Setting, problem: string) => void problems.push(`${row.name} ${problem}`);
  const warn = (row: Setting, problem: string) => void warnings.push(`${row.name} ${problem}`);

  function readOne<Value>(row: Setting<Value>): Value {
    if (!values.has(row)) {
      const value = parseOrReport(row, environment[row.name]?.trim() || row.default);
      if (row.switches) switches.set(row, describeSwitch(row, row.switches, value));
      values.set(row, value);
    }
    return values.get(row) as Value;
  }

  function parseOrReport<Value>(row: Setting<Value>, text: string | undefined): Value {
    if (text === undefined) return row.unset;
    try {
      return row.parse(text, { mode, warn: (problem) => warn(row, problem) });
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error;
      report(row, error.problem);
      // For settings that depend on it; nothing starts with it.
      return parseOrReport(row, text === row.default ? undefined : row.default);
    }
  }

  mode = readOne(modeSetting);
  return {
    mode,
    problems,
    warnings,
    listSwitches: () => [...switches.values()],

    read<Rows extends Settings>(rows: Rows): ValuesOf<Rows> {
      const read = (row: Setting | Settings) => (isSetting(row) ? readOne(row) : this.read(row));
      return Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, read(row)])) as ValuesOf<Rows>;
    },

    /**
     * For a name that ends in a placeholder, such as `RPC_URL_<chainId>`. The keys are what replaces the placeholder.
     */
    readEach<Value>(row: Setting<Value>): Map<string, Value> {
      const prefix = row.name.slice(0, row.name.indexOf("<"));
      const names = Object.keys(environment).filter((name) => name.startsWith(prefix) && isGiven(name));
      return new Map(names.map((name) => [name.slice(prefix.length), readOne({ ...row, name })]));
    },

    isSet: (row: Setting) => isGiven(row.name),
    report,
    warn,

    requireNeeds(choice: Setting, { name, needs }: { name: string; needs: readonly string[] }): void {
      for (const need of needs) {
        if (!isGiven(need)) problems.push(`${need} must be set when ${choice.name} is ${name}.`);
      }
    },

    hasNeeds: ({ needs }: { needs: readonly string[] }) => needs.every(isGiven),

    /** For a switch that depends on more than its own setting. */
    setSwitch(row: Setting, isOn: boolean, why: string): void {
      switches.set(row, { name: (row.switches ?? row).name, isOn, why });
    },
  };
}

export type SettingReader = ReturnType<typeof createSettingReader>;
