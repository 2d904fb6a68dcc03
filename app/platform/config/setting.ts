export type Mode = "production" | "development" | "demo";

/** A row of the operator's list of switches. `why` names the setting and contains no secret. */
export type Switch = { name: string; isOn: boolean; why: string };

/** How a setting appears in that list; `on` and `off` describe the effect. */
export type SwitchText = {
  name: string;
  /** The only value that means on. */
  onAt?: string;
  /** A value that means off, besides false, 0 and unset. */
  offAt?: string;
  on?: string;
  off?: string;
};

export type Judging = { mode: Mode; warn: (problem: string) => void };

export type Parse<Value> = (text: string, judging: Judging) => Value;

/** Parsing, documentation and .env.example are derived from this row. */
export type Setting<Value = unknown> = {
  name: string;
  /** Description for `.env.example` and docs/settings.md. */
  text: string;
  /** Accepted values, in Markdown. */
  range: string;
  /** As an operator would write it. */
  default?: string;
  /** The value if it is unset and has no default. */
  unset: Value;
  /** Never printed, not even in part. */
  isSecret: boolean;
  switches: SwitchText | null;
  /** Throws an InvalidSetting. */
  parse: Parse<Value>;
};

export type Settings = { readonly [key: string]: Setting | Settings };

export type SettingGroup = { title: string; rows: Settings };

export type ValuesOf<Rows> = {
  [Key in keyof Rows]: Rows[Key] extends Setting<infer Value> ? Value : ValuesOf<Rows[Key]>;
};

/** `problem` ends the sentence that the setting's name begins. */
export class InvalidSetting extends Error {
  override readonly name = "InvalidSetting";
  constructor(readonly problem: string) {
    super(problem);
  }
}

export function isSetting(row: Setting | Settings): row is Setting {
  return typeof row.parse === "function";
}

export function listSettings(rows: Settings): Setting[] {
  return Object.values(rows).flatMap((row) => (isSetting(row) ? [row] : listSettings(row)));
}

export function describeSwitch({ name, isSecret }: Setting, text: SwitchText, value: unknown): Switch {
  const isSet = value !== null && !(Array.isArray(value) && value.length === 0);
  const isOn =
    text.onAt === undefined
      ? isSet && value !== false && value !== 0 && value !== text.offAt
      : value === text.onAt;
  const shown = Array.isArray(value) ? value.join(", ") : String(value);
  const consequence = isOn ? text.on : text.off;
  return {
    name: text.name,
    isOn,
    why: `${name} is ${isSet ? (isSecret ? "set" : shown) : "not set"}${consequence ? `: ${consequence}` : ""}.`,
  };
}
