import { cutText, toWellFormedText } from "~/platform/well-formed-text";

/** How much of a provider's own words reaches a client. */
const maxWordsChars = 200;

/** A shorter secret may be part of an ordinary word (`none` is a usual key of local servers). */
const wordLikeChars = 8;

/** One short line without the given secrets and without anything that looks like one. */
export function cleanProviderWords({ text, secrets }: { text: string; secrets: readonly string[] }): string {
  let words = toWellFormedText(text);
  for (const secret of secrets) {
    if (secret.length >= wordLikeChars) words = words.replaceAll(secret, "[removed]");
    else if (secret.length > 0) words = words.replace(toWholeWord(secret), "[removed]");
  }
  words = words
    .replace(/\bBearer\s+\S+/gi, "[removed]")
    .replace(/\b(?:sk|pk|key|token)[-_][\w*.-]{4,}/gi, "[removed]")
    .replace(/[\w*+/=-]{28,}/g, "[removed]")
    .replace(/<[^>]*>/g, " ")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return cutText({ text: words, maxChars: maxWordsChars }).trimEnd();
}

/** The message inside a JSON error body, in the shapes that are about; null when there is none. */
export function findProviderWords(body: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  const candidates = [
    dig(value, ["error", "message"]),
    dig(value, ["errors", 0, "message"]),
    dig(value, ["error"]),
    dig(value, ["message"]),
    dig(value, ["detail"]),
  ];
  return candidates.find((candidate): candidate is string => typeof candidate === "string") ?? null;
}

/** A configured address as it may be shown: without credentials, query and fragment. */
export function toShownAddress(address: string): string {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

function dig(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key],
    value,
  );
}

function toWholeWord(secret: string): RegExp {
  return new RegExp(`(?<!\\w)${secret.replace(/[^\w\s]/g, "\\$&")}(?!\\w)`, "g");
}
