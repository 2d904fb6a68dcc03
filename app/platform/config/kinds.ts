import { InvalidSetting } from "./setting";
import type { Parse, Setting, SwitchText } from "./setting";

type Options = { isSecret?: boolean; switches?: SwitchText };
type Given<Extra, Default = string> = Options & Extra & { default?: Default };

/** With a default there always is a value; without one it is null where the setting is not set. */
type Kind<Value, Extra = unknown, Default = string> = {
  (name: string, options: Options & Extra & { default: Default }, text: string): Setting<Value>;
  (name: string, options: Options & Extra, text: string): Setting<Value | null>;
};

type Custom<Value> = { parse: Parse<Value> };

function row<Value>(name: string, options: Given<Custom<Value>>, text: string): Setting<Value> {
  const { parse, default: standard, isSecret = false, switches = null } = options;
  // Whoever calls says in its type where it may be null.
  return { name, text, default: standard, unset: null as Value, isSecret, switches, parse };
}

/** A setting of a kind of its own. */
export function setting<Value>(
  name: string,
  options: Options & Custom<Value> & { default: string },
  text: string,
): Setting<Value>;
export function setting<Value>(
  name: string,
  options: Options & Custom<Value>,
  text: string,
): Setting<Value | null>;
export function setting<Value>(name: string, options: Given<Custom<Value>>, text: string): Setting<Value> {
  return row(name, options, text);
}

/** `problem` ends the sentence that the setting's name begins. */
type Pattern = { pattern?: { matches: RegExp; problem: string } };

export const text: Kind<string, Pattern> = (
  name: string,
  { pattern, ...options }: Given<Pattern>,
  text: string,
) => {
  const parse = (given: string) => {
    if (pattern && !pattern.matches.test(given)) throw new InvalidSetting(pattern.problem);
    return given;
  };
  return row(name, { ...options, parse }, text);
};

/** A secret that somebody else made; for those an operator makes up there is `ownSecret`. */
export function secret(name: string, options: Options, description: string): Setting<string | null> {
  return text(name, { ...options, isSecret: true }, description);
}

/** PEM text often travels through environment files with its line breaks written as \n. */
export function pem(name: string, options: Options, description: string): Setting<string | null> {
  return row(name, { ...options, parse: (given) => given.replaceAll("\\n", "\n") }, description);
}

type Range = { min: number; max: number };

export const integer: Kind<number, Range, number> = (
  name: string,
  { min, max, default: standard, ...options }: Given<Range, number>,
  text: string,
) => {
  const parse = (given: string) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidSetting(`must be a whole number from ${min} to ${max}.`);
  };
  return row(name, { ...options, default: standard?.toString(), parse }, text);
};

export function flag(
  name: string,
  { default: standard, ...options }: Options & { default: boolean },
  text: string,
): Setting<boolean> {
  const parse = (given: string) => {
    if (["true", "1", "yes", "on"].includes(given.toLowerCase())) return true;
    if (["false", "0", "no", "off"].includes(given.toLowerCase())) return false;
    throw new InvalidSetting("must be true or false.");
  };
  return row(name, { ...options, default: String(standard), parse }, text);
}

type Choices<Choice extends string> = Options & { of: readonly Choice[] };

export function oneOf<const Choice extends string>(
  name: string,
  options: Choices<Choice> & { default: NoInfer<Choice> },
  text: string,
): Setting<Choice>;
export function oneOf<const Choice extends string>(
  name: string,
  options: Choices<Choice>,
  text: string,
): Setting<Choice | null>;
export function oneOf<const Choice extends string>(
  name: string,
  { of: choices, ...options }: Choices<Choice> & { default?: Choice },
  text: string,
): Setting<Choice> {
  const parse = (given: string) => {
    const found = choices.find((choice) => choice.toLowerCase() === given.toLowerCase());
    if (found !== undefined) return found;
    throw new InvalidSetting(`must be one of ${choices.join(", ")}.`);
  };
  return row(name, { ...options, parse }, text);
}

/** Comma-separated, each entry once; empty where it is not set. */
export function list(name: string, options: Options & Pattern, text: string): Setting<readonly string[]> {
  const { pattern, ...rest } = options;
  const parse = (given: string): readonly string[] => {
    const entries = [...new Set(splitList(given))];
    if (pattern && !entries.every((entry) => pattern.matches.test(entry))) {
      throw new InvalidSetting(pattern.problem);
    }
    return entries;
  };
  return { ...row(name, { ...rest, parse }, text), unset: [] };
}

export function splitList(given: string): string[] {
  return given
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}

type Protocols = { protocols?: readonly string[] };

export const url: Kind<string, Protocols> = (
  name: string,
  { protocols, ...options }: Given<Protocols>,
  text: string,
) => {
  const parse = (given: string) => {
    requireUrl(given, protocols);
    return given;
  };
  return row(name, { ...options, parse }, text);
};

/** An address of the same make: then it must end in /v1 like that one. */
type Root = { suchAs?: string };

/** The root of an API, without slashes at its end. */
export const baseUrl: Kind<string, Root> = (
  name: string,
  { suchAs, ...options }: Given<Root>,
  text: string,
) => {
  const parse = (given: string) => {
    const address = requireUrl(given);
    // Credentials would reach error messages and logs.
    if (address.username || address.password || address.search || address.hash) {
      throw new InvalidSetting("must be a plain address, without user name, query or fragment.");
    }
    const root = `${address.origin}${address.pathname.replace(/\/+$/, "")}`;
    if (suchAs && !root.endsWith("/v1")) throw new InvalidSetting(`must end in /v1, such as ${suchAs}.`);
    return root;
  };
  return row(name, { ...options, parse }, text);
};

export function requireUrl(given: string, protocols: readonly string[] = ["https:", "http:"]): URL {
  const address = URL.canParse(given) ? new URL(given) : null;
  if (address && protocols.includes(address.protocol)) return address;
  const beginnings = protocols.map((protocol) => `${protocol}//`).join(" or ");
  throw new InvalidSetting(`must be an address that begins with ${beginnings}.`);
}
