import { demoSecretPrefix } from "./demo-secret";
import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

/** Shortest secret that is compared as it stands; what signs tokens has a longer minimum of its own. */
export const minSecretChars = 16;
const minDistinctChars = 8;

/** What people write before they have a secret, and what guessing programs try first. */
const obviousParts = new RegExp(
  [
    "change[\\s._-]*(?:it|me|this)",
    "s[e3]cr[e3]t",
    "p[a@4]ss(?:w[o0]rd|phrase)?",
    "letmein",
    "default",
    "example",
    "replace",
    "placeholder",
    "admin",
    "(?:0?123456789(?:0?abcdef|0)?|12345678|1234567|123456|9876543210?|87654321)",
    "abcdefghijklmnopqrstuvwxyz",
    "abcdefgh(?:ijklmnop)?",
    "qwerty(?:uiop)?",
    "asdfghjkl",
    "zxcvbnm",
  ].join("|"),
  "gi",
);

/** What makes a secret easy to guess, as the end of a sentence that begins with its name; null for a good one. */
export function findWeakness(secret: string): string | null {
  if (new Set(secret).size < minDistinctChars) {
    return `has fewer than ${minDistinctChars} different characters`;
  }
  if (isRepetition(secret)) return "is a short text repeated";
  const rest = secret.replaceAll(obviousParts, "").replaceAll(/[\s._-]/g, "");
  if (new Set(rest).size < minDistinctChars) return "is made of words and rows that are tried first";
  return null;
}

function isRepetition(text: string): boolean {
  const longestUnit = Math.min(minSecretChars - 1, Math.floor(text.length / 2));
  return Array.from({ length: longestUnit }, (_, index) => index + 1).some((unit) =>
    text.startsWith(text.slice(unit)),
  );
}

/**
 * Production refuses a secret that can be guessed; elsewhere the operator is told. `secrets` are those of one setting
 * that holds several; `minChars` is left out where the setting's own reader has its say about the length.
 */
export function requireStrongSecret({
  reader,
  mode,
  name,
  secrets,
  minChars = 0,
}: {
  reader: SettingReader;
  mode: "production" | "development" | "demo";
  name: SettingName;
  secrets?: readonly string[];
  minChars?: number;
}): void {
  const own = reader.findText(name);
  for (const secret of secrets ?? (own === null ? [] : [own])) {
    const isDemoSecret = secret.startsWith(demoSecretPrefix);
    // Expected outside production, and refused there by a rule of its own where the setting holds one secret.
    if (isDemoSecret && (mode !== "production" || secrets === undefined)) continue;
    const shortness = secret.length < minChars ? `is shorter than ${minChars} characters` : null;
    const weakness = isDemoSecret ? "holds a demo key" : (shortness ?? findWeakness(secret));
    if (weakness === null) continue;
    if (mode !== "production") {
      reader.warnings.push(`${name} ${weakness}: production refuses it.`);
      continue;
    }
    reader.report(name, `${weakness}, which production refuses. ${wayOut(secrets !== undefined)}`);
  }
}

function wayOut(isRetired: boolean): string {
  return isRetired
    ? "Take that secret off the list: whoever guesses it can sign in with it."
    : "Generate one: openssl rand -hex 32";
}
