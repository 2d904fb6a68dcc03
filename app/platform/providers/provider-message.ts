import { cutText, toWellFormedText } from "~/platform/text/well-formed-text";

/** How much of a provider's message reaches a client. */
const maxWordsChars = 200;

/** A shorter secret may be part of an ordinary word (`none` is a usual key of local servers). */
const wordLikeChars = 8;

/** One short line without the given secrets and anything that looks like one. */
export function cleanProviderMessage(text: string, secrets: readonly string[]): string {
  let words = toWellFormedText(text);
  for (const secret of secrets) {
    if (secret.length >= wordLikeChars) words = words.replaceAll(secret, "[removed]");
    else if (secret.length > 0) words = words.replace(toWholeWord(secret), "[removed]");
  }
  words = words
    .replace(/\bBearer\s+\S+/gi, "[removed]")
    .replace(/\b(?:sk|pk|key|token)[-_][\w*.-]{4,}/gi, "[removed]")
    .replace(/[\w*+/=-]{28,}/g, "[removed]")
    .replace(/<[^<>]*>/g, " ");
  words = removeAddresses(words)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return cutText(words, maxWordsChars).trimEnd();
}

/**
 * Each begins where a word begins, so that a long hostile text takes linear time. Dotted words that aren't hosts are
 * lost too.
 */
const addresses: readonly RegExp[] = [
  // URLs of any scheme.
  /(?<![\w+.-])[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi,
  // Files: from the root, from home, from a drive or a share of Windows.
  /(?<![\w./~@-])(?:~|\.{1,2})?\/[\w.@+~-]+(?:\/[\w.@+~-]*)*/g,
  /(?<!\w)(?:[a-z]:\\|\\\\)[^\s"'<>]+/gi,
  // Hosts without a dot, by the word before them.
  /(?<=(?<!\w)(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ETIMEDOUT|lookup|host|hostname|upstream) )[^\s"',;]+/gi,
  // IPv4, then names with a dot, each with or without a port.
  /(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.]*\w)/g,
  /(?<![\w.-])(?:[a-z0-9_][\w-]*\.)+[a-z][a-z0-9-]+(?::\d+)?(?!\w)/gi,
  // One name with a port.
  /(?<![\w.-])(?:localhost(?::\d+)?|[a-z][\w-]*:(?:\d{4,5}|80|443))(?!\w)/gi,
];
/** Checked as a whole, because times of day have colons too. */
const perhapsIpv6 = /(?<![\w:.])\[?[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*(?:%\w+)?\]?(?::\d+)?(?!\w)/gi;

/** A visitor must not see names of machines, addresses or files. */
function removeAddresses(text: string): string {
  const words = text.replace(perhapsIpv6, (found) =>
    found.includes("::") || found.split(":").length > 7 ? "[removed]" : found,
  );
  return addresses.reduce((rest, address) => rest.replace(address, "[removed]"), words);
}

/** The message inside a JSON error body, in the usual shapes. */
export function findProviderMessage(body: string): string | null {
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

/** Without credentials, query and fragment. */
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
