import { closest, distance } from "fastest-levenshtein";
import { settings } from "./settings";
import type { SettingName } from "./settings";

export type Environment = Readonly<Record<string, string | undefined>>;

/** All that is wrong with the configuration at once, by name and never with a value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  /** `warnings` would not stop anything by themselves, but a mistyped name often explains a missing setting. */
  constructor({ problems, warnings }: { problems: readonly string[]; warnings: readonly string[] }) {
    const heading = `The configuration has ${problems.length} problem${problems.length === 1 ? "" : "s"}:`;
    const aside = warnings.length > 0 ? ["\nBesides, worth a look:", ...warnings.map(listed)] : [];
    super([heading, ...problems.map(listed), ...aside].join("\n"));
    this.problems = problems;
  }
}

const listed = (line: string) => `- ${line}`;

const defaults = new Map<string, string>(
  settings.flatMap((setting) => ("default" in setting ? [[setting.name, setting.default]] : [])),
);

/** Reads settings one by one and collects what is wrong, so that an operator sees every mistake at once. */
export function createSettingReader(environment: Environment) {
  const problems: string[] = [];
  const warnings: string[] = [];

  function report(name: SettingName, problem: string): void {
    problems.push(`${name} ${problem}`);
  }

  function findText(name: SettingName): string | null {
    const raw = environment[name]?.trim();
    return raw ? raw : (defaults.get(name) ?? null);
  }

  function getText(name: SettingName): string {
    return findText(name) ?? "";
  }

  function isSet(name: SettingName): boolean {
    return Boolean(environment[name]?.trim());
  }

  function getBoolean(name: SettingName): boolean {
    const text = getText(name).toLowerCase();
    if (["true", "1", "yes", "on"].includes(text)) return true;
    if (["false", "0", "no", "off"].includes(text)) return false;
    report(name, "must be true or false.");
    return false;
  }

  function getInteger({ name, min, max }: { name: SettingName; min: number; max: number }): number {
    const text = getText(name);
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    report(name, `must be a whole number from ${min} to ${max}.`);
    return min;
  }

  function getChoice<const Choice extends string>({
    name,
    choices,
  }: {
    name: SettingName;
    choices: readonly [Choice, ...Choice[]];
  }): Choice {
    const text = getText(name);
    const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    if (found) return found;
    report(name, `must be one of ${choices.join(", ")}.`);
    return choices[0];
  }

  function getList(name: SettingName): string[] {
    return getText(name)
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean);
  }

  function findUrl({ name, protocols }: { name: SettingName; protocols: readonly string[] }): string | null {
    const text = findText(name);
    if (text === null) return null;
    if (isUrl({ text, protocols })) return text;
    report(
      name,
      `must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}.`,
    );
    return null;
  }

  /** PEM text often travels through environment files with its line breaks written as \n. */
  function findPem(name: SettingName): string | null {
    return findText(name)?.replaceAll("\\n", "\n") ?? null;
  }

  return {
    problems,
    warnings,
    report,
    findText,
    getText,
    isSet,
    getBoolean,
    getInteger,
    getChoice,
    getList,
    findUrl,
    findPem,
  };
}

export type SettingReader = ReturnType<typeof createSettingReader>;

export function isUrl({ text, protocols }: { text: string; protocols: readonly string[] }): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

export const guardedPrefixes = [
  "AI_",
  "BRAND_",
  "JWT_",
  "OPERATOR_",
  "PINECONE_",
  "RATE_LIMIT_",
  "SEARCH_",
  "TTS_",
];

/** Names that look like ours but are not: most often a typing mistake that would otherwise go unnoticed. */
export function describeUnknownNames(environment: Environment): string[] {
  const known = settings.map((setting) => setting.name as string);
  return Object.keys(environment)
    .filter((name) => guardedPrefixes.some((prefix) => name.startsWith(prefix)) && !known.includes(name))
    .sort()
    .map((name) => {
      const nearest = closest(name, known);
      const isNear = distance(name, nearest) <= Math.max(3, Math.floor(name.length / 3));
      return `${name} is not a setting of Latchkey.${isNear ? ` Did you mean ${nearest}?` : ""}`;
    });
}
