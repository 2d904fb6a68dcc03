import { randomBytes } from "node:crypto";
import { settings } from "~/settings.server";

export const secretSettings: readonly string[] = settings.flatMap(({ isSecret, name }) =>
  isSecret ? [name] : [],
);

/** The variable's name in the settings table, which has one row for all chains. */
export const settingOf = (variable: string) => variable.replace(/^RPC_URL_\d+$/, "RPC_URL_<chainId>");

export const random = () => randomBytes(24).toString("hex");

const leastLength = 8;
/** Shorter parts of an address are words, such as "latchkey". */
const leastPartLength = 20;

/** Collects secrets with their descriptions and finds them in texts. */
export function createSecretHunt() {
  const used = new Map<string, string>();
  const given = new Set<string>();

  function use<Value extends string>(what: string, value: Value): Value {
    if (value.length < leastLength) throw new Error(`${what} is too short to be looked for.`);
    used.set(value, what);
    return value;
  }

  function useToken(what: string, token: string): string {
    // The first part is the same for all tokens and no secret.
    for (const part of token.split(".").slice(1)) use(`part of ${what}`, part);
    return use(what, token);
  }

  /** An address hides its password, and made-up parts of its path and query. */
  function useAddress(what: string, address: string): void {
    const { password, pathname, searchParams } = new URL(address);
    if (password !== "") use(`password in ${what}`, password);
    for (const part of [...pathname.split("/"), ...searchParams.values()])
      if (part.length >= leastPartLength) use(`part of ${what}`, part);
  }

  /** Adds every secret setting of this environment to the search. */
  function lookFor<Settings extends Record<string, string>>(environment: Settings): Settings {
    for (const [name, value] of Object.entries(environment)) {
      if (!secretSettings.includes(settingOf(name))) continue;
      use(name, value);
      if (URL.canParse(value) && value.includes("://")) useAddress(name, value);
      for (const line of value.split(/\\n|[\n,=]/))
        if (line.length >= leastPartLength && !line.includes("-----")) use(`part of ${name}`, line);
    }
    return environment;
  }

  /** Adds secrets that servers really use. */
  function give<Settings extends Record<string, string>>(environment: Settings): Settings {
    for (const name of Object.keys(environment)) given.add(settingOf(name));
    return lookFor(environment);
  }

  /** The secrets found in a text, in any of their spellings. */
  function find(text: string): string[] {
    return [...used].flatMap(([value, what]) =>
      spell(value).some((one) => text.includes(one)) ? [what] : [],
    );
  }

  return {
    use,
    useToken,
    lookFor,
    give,
    find,
    count: () => used.size,
    /** Secret settings that no server has used. */
    listMissing: () => secretSettings.filter((name) => !given.has(name)),
  };
}

function spell(value: string): string[] {
  return [
    ...[value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)],
    Buffer.from(value).toString("base64").slice(0, -4),
  ];
}
