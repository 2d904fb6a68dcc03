import { InvalidSetting } from "./setting";
import type { Family, Parse, Setting, SwitchText } from "./setting";

/** `range`: if the kind can't describe it. */
type Options = {
  isSecret?: boolean;
  switches?: SwitchText;
  range?: string | undefined;
  family?: Family;
  isForTests?: boolean;
};

/** With a default there always is a value; without one it is null if unset. */
type Kind<Value, Extra = unknown, Default = string> = {
  (name: string, options: Options & Extra & { default: Default }, text: string): Setting<Value>;
  (name: string, options: Options & Extra, text: string): Setting<Value | null>;
};

type RowOptions<Value> = Options & { parse: Parse<Value>; range: string; default?: string };

function row<Value>(name: string, options: RowOptions<Value>, text: string): Setting<Value> {
  const { parse, default: standard, range, isSecret = false, switches = null } = options;
  const { family = null, isForTests = false } = options;
  // The caller's type says whether it may be null.
  const unset = null as Value;
  return { name, text, range, family, isForTests, default: standard, unset, isSecret, switches, parse };
}

export const setting: {
  <Value>(name: string, options: RowOptions<Value> & { default: string }, text: string): Setting<Value>;
  <Value>(name: string, options: RowOptions<Value>, text: string): Setting<Value | null>;
} = row;

/** `parse` and `describe` get the row's options too. */
function kind<Value, Extra = unknown, Default extends string | number | boolean = string>(
  parse: (given: string, options: Extra) => Value,
  describe: (options: Extra) => string,
): Kind<Value, Extra, Default> {
  return (name: string, options: Options & Extra & { default?: Default }, text: string) => {
    const { default: standard, range = describe(options) } = options;
    const parseGiven = (given: string) => parse(given, options);
    return row(name, { ...options, range, default: standard?.toString(), parse: parseGiven }, text);
  };
}

type Pattern = { pattern?: { matches: RegExp; range: string } };

export const text = kind<string, Pattern>(
  (given, { pattern }) => {
    if (pattern && !pattern.matches.test(given)) throw new InvalidSetting(`must be ${pattern.range}.`);
    return given;
  },
  ({ pattern }) => pattern?.range ?? "text",
);

/** A secret that somebody else made. Operators' own use `ownSecret`. */
export function secret(name: string, options: Options, description: string): Setting<string | null> {
  return text(name, { ...options, isSecret: true }, description);
}

/** Environment files often have PEM text with its line breaks written as \n. */
export const pem = kind(
  (given) => given.replaceAll("\\n", "\n"),
  () => "PEM, its line breaks as they are or as `\\n`",
);

export const integer = kind<number, { min: number; max: number }, number>(
  (given, { min, max }) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidSetting(`must be a whole number from ${min} to ${max}.`);
  },
  ({ min, max }) => `${min} to ${max}`,
);

export const flag = kind<boolean, { switches: SwitchText }, boolean>(
  (given) => {
    if (["true", "1", "yes", "on"].includes(given.toLowerCase())) return true;
    if (["false", "0", "no", "off"].includes(given.toLowerCase())) return false;
    throw new InvalidSetting("must be true or false.");
  },
  () => "true or false",
);

type Choices<Choice extends string> = Options & { of: readonly Choice[] };

export const oneOf: {
  <const Choice extends string>(
    name: string,
    options: Choices<Choice> & { default: NoInfer<Choice> },
    text: string,
  ): Setting<Choice>;
  <const Choice extends string>(name: string, options: Choices<Choice>, text: string): Setting<Choice | null>;
} = <Choice extends string>(name: string, options: Choices<Choice>, text: string) => {
  const parse = (given: string) => {
    const found = options.of.find((choice) => choice.toLowerCase() === given.toLowerCase());
    if (found !== undefined) return found;
    throw new InvalidSetting(`must be one of ${options.of.join(", ")}.`);
  };
  const range = options.range ?? eitherOf(options.of.map((choice) => `\`${choice}\``));
  return row(name, { ...options, range, parse }, text);
};

export function eitherOf(words: readonly string[]): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" or ");
}

/** Comma-separated, each entry once; empty if unset. */
export function list(name: string, options: Options & Pattern, text: string): Setting<readonly string[]> {
  const { pattern } = options;
  const parse = (given: string): readonly string[] => {
    const entries = [...new Set(splitList(given))];
    if (!pattern || entries.every((entry) => pattern.matches.test(entry))) return entries;
    throw new InvalidSetting(`must list ${pattern.range}.`);
  };
  const range = `${pattern?.range ?? "texts"}, comma-separated`;
  return { ...row(name, { ...options, range, parse }, text), unset: [] };
}

export function splitList(given: string): string[] {
  return given
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}

export const url = kind<string, { protocols?: readonly string[] }>(
  (given, { protocols }) => {
    requireUrl(given, protocols);
    return given;
  },
  ({ protocols }) => `${beginnings(protocols)} address`,
);

/** The root of an API, without trailing slashes. With `suchAs`, an example, it must end in /v1. */
export const baseUrl = kind<string, { suchAs?: string }>(
  (given, { suchAs }) => {
    const address = requireUrl(given);
    // Credentials would reach error messages and logs.
    if (address.username || address.password || address.search || address.hash) {
      throw new InvalidSetting("must be a plain address, without user name, query or fragment.");
    }
    const root = `${address.origin}${address.pathname.replace(/\/+$/, "")}`;
    if (suchAs && !root.endsWith("/v1")) throw new InvalidSetting(`must end in /v1, such as ${suchAs}.`);
    return root;
  },
  ({ suchAs }) => `${beginnings()} address${suchAs ? ` ending in /v1, such as ${suchAs}` : ""}`,
);

const webProtocols: readonly string[] = ["https:", "http:"];

export function requireUrl(given: string, protocols = webProtocols): URL {
  const address = URL.canParse(given) ? new URL(given) : null;
  if (address && protocols.includes(address.protocol)) return address;
  throw new InvalidSetting(`must be an address that begins with ${beginnings(protocols)}.`);
}

function beginnings(protocols = webProtocols): string {
  return eitherOf(protocols.map((protocol) => `${protocol}//`));
}
