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

/** Several names with one meaning are one entry in the documentation, with this text. */
export type Family = { name: string; text: string };

/** Parsing, documentation and .env.example are derived from this row. */
export type Setting<Value = unknown> = {
  name: string;
  /** Description for `.env.example` and docs/settings.md. */
  text: string;
  /** Accepted values, in Markdown. */
  range: string;
  family: Family | null;
  /** Only tests set it, for a server in a process of its own; nothing documents it. */
  isForTests: boolean;
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

/** The entries of the documentation: a setting by itself, or all of a family, in the place of its first one. */
export function listEntries(rows: readonly Setting[]): (readonly [Setting, ...Setting[]])[] {
  const listed = rows.filter(({ isForTests }) => !isForTests);
  const isFirst = (row: Setting) => listed.find(({ family }) => family === row.family) === row;
  return listed
    .filter((row) => row.family === null || isFirst(row))
    .map((row) => [
      row,
      ...listed.filter((other) => row.family !== null && other.family === row.family && other !== row),
    ]);
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
