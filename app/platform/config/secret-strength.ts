import { setting } from "./kinds";
import { InvalidSetting } from "./setting";
import type { Judging, Mode, SwitchText } from "./setting";

/** Prefix of every secret that the repository ships or generates for the demo. Production refuses it. */
const demoSecretPrefix = "demo-";

/** For secrets that are compared as they are. Keys that sign tokens have a longer minimum. */
const minSecretChars = 16;
const minDistinctChars = 8;

/** From the documentation of Standard Webhooks, without its `whsec_`. */
const exampleSecret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Placeholders, and what guessing programs try first. */
const obviousParts = new RegExp(
  [
    "change[\\s._-]*(?:it|me|this)",
    "s[e3]cr[e3]t|p[a@4]ss(?:w[o0]rd|phrase)?",
    "letmein|default|example|replace|placeholder|admin",
    "0?123456789(?:0?abcdef|0)?|12345678|1234567|123456|9876543210?|87654321",
    "abcdefghijklmnopqrstuvwxyz|abcdefgh(?:ijklmnop)?",
    "qwerty(?:uiop)?|asdfghjkl|zxcvbnm",
    exampleSecret,
  ].join("|"),
  "gi",
);

/**
 * A reason why the secret is easy to guess, as the end of a sentence that begins with its name; null for a good one.
 */
export function findWeakness(secret: string): string | null {
  if (new Set(secret).size < minDistinctChars)
    return `has fewer than ${minDistinctChars} different characters`;
  if (isRepetition(secret)) return "is a short text repeated";
  const rest = secret.replaceAll(obviousParts, "").replaceAll(/[\s._-]/g, "");
  if (new Set(rest).size < minDistinctChars) return "is made of words and rows that are tried first";
  return null;
}

function isRepetition(text: string): boolean {
  const longestUnit = Math.min(minSecretChars - 1, Math.floor(text.length / 2));
  return Array.from({ length: longestUnit }).some((_, index) => text.startsWith(text.slice(index + 1)));
}

export function ownSecret(name: string, options: { switches?: SwitchText }, text: string) {
  const parse = (given: string, judging: Judging) =>
    requireStrongSecret(given, judging, { length: minSecretChars, unit: "characters" });
  const range = `at least ${minSecretChars} characters, not to be guessed`;
  return setting(name, { ...options, range, isSecret: true, parse }, text);
}

type Minimum = { length: number; unit: "bytes" | "characters" };

/** Production refuses a weak secret; elsewhere it is a warning. */
export function requireStrongSecret(secret: string, judging: Judging, minimum?: Minimum): string {
  refuseDemoSecret(secret, judging.mode);
  const isShort = minimum !== undefined && secret.length < minimum.length;
  const weakness = isShort ? `is shorter than ${minimum.length} ${minimum.unit}` : findWeakness(secret);
  return requireGood(secret, { weakness }, judging);
}

export function refuseDemoSecret(secret: string, mode: Mode): void {
  if (mode !== "production" || !secret.startsWith(demoSecretPrefix)) return;
  throw new InvalidSetting(
    "holds a demo key, which production refuses. Generate one of your own: openssl rand -hex 32",
  );
}

function requireGood(
  secret: string,
  { weakness, remedy = "Generate one: openssl rand -hex 32" }: { weakness: string | null; remedy?: string },
  { mode, warn }: Judging,
): string {
  const isExpected = mode !== "production" && secret.startsWith(demoSecretPrefix);
  if (weakness === null || isExpected) return secret;
  if (mode === "production") throw new InvalidSetting(`${weakness}, which production refuses. ${remedy}`);
  warn(`${weakness}: production refuses it.`);
  return secret;
}

/** A retired secret still verifies: anybody who guesses it can issue tokens. */
export function requireStrongRetiredSecret(secret: string, judging: Judging): void {
  const weakness = secret.startsWith(demoSecretPrefix) ? "holds a demo key" : findWeakness(secret);
  const remedy = "Take that secret off the list: anybody who guesses it can sign in with it.";
  requireGood(secret, { weakness, remedy }, judging);
}
