const redacted = "[redacted]";

/** Names of proofs and credentials, by their ending, without case, hyphens and underscores. */
const credentialName =
  /(?:authorization|cookie|jwt|signature|nonce|secret|token|password|passphrase|apikey|privatekey)s?$/;

/** Names of personal texts, and of bodies that contain them. */
const personalNames = new Set([
  "message",
  "messages",
  "messagetext",
  "siwemessage",
  "text",
  "body",
  "rawbody",
  "payload",
  "prompt",
  "content",
  "rawheaders",
]);

/** Deeper than anything that is logged on purpose. */
const maxDepth = 8;

/**
 * A loggable copy. Replaces values under a secret's name, at any depth, and credentials inside other strings. Big
 * integers become decimal strings; cycles and unsupported values become words.
 */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactRecord(fields, []);
}

function redactRecord(
  record: Record<string, unknown>,
  ancestors: readonly object[],
  isError = false,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const within = [...ancestors, record];
  for (const key of Object.keys(record)) {
    const value = readProperty(record, key);
    // An error's `message` is ours, not a person's.
    const hidden = isTellingName(key) && !(isError && key === "message") && isTelling(key, value);
    copy[key] = hidden ? redacted : redactValue(value, within);
  }
  return copy;
}

function redactValue(value: unknown, ancestors: readonly object[]): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (ancestors.includes(value)) return "[circular]";
  if (ancestors.length >= maxDepth) return "[too deep]";
  if (value instanceof Error) return redactError(value, ancestors);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) {
    return value.map((item: unknown) => redactValue(item, [...ancestors, value]));
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return redactRecord(value as Record<string, unknown>, ancestors);
  }
  // Requests, sockets, headers and the like: log the part that matters instead.
  return `[${value.constructor?.name ?? "object"}]`;
}

function redactError(error: Error, ancestors: readonly object[]): Record<string, unknown> {
  const { message, stack, cause } = error;
  const own = { type: error.constructor.name, ...error, message, stack };
  return redactRecord(cause === undefined ? own : { ...own, cause }, [...ancestors, error], true);
}

function readProperty(record: Record<string, unknown>, key: string): unknown {
  try {
    return record[key];
  } catch {
    return "[unreadable]";
  }
}

function isTellingName(key: string): boolean {
  const name = key.toLowerCase().replace(/[-_\s]/g, "");
  return personalNames.has(name) || credentialName.test(name);
}

/** Flags and counts may be logged under these names, values may not. */
function isTelling(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "boolean") return false;
  return !(typeof value === "number" && key.endsWith("s"));
}

/**
 * Replaces credentials inside text: JWTs, Bearer and Basic values, webhook secrets, and hex of 64 bytes and more. Also
 * `nonce=…` and the like, and the user part of URLs. JSON stays JSON: no match contains a quote or a backslash.
 */
export function redactText(text: string): string {
  return text
    .replace(jwt, `$1${redacted}`)
    .replace(/\b(Bearer|Basic)\s+(?!token\b)[^\s"\\,]+/gi, `$1 ${redacted}`)
    .replace(/whsec_[\w+/=-]+/g, redacted)
    .replace(/(?:0x)?[0-9a-f]{128,}/gi, redacted)
    .replace(namedValue, `$1${redacted}`)
    .replace(/\/\/(?!user:password@)[^\s"\\/@]+@/g, `//${redacted}@`);
}

/** Wherever it begins in a word: the escape before one in an address ends in a letter. Each word is looked at once. */
const jwt = /(?<![\w-])(?=[\w-]+\.[\w-]+\.)([\w-]*?)eyJ[\w-]{4,}\.[\w-]+\.[\w-]*/g;

/** Only an escaped quote after the name counts: a bare one is the structure of the JSON line. */
const namedValue =
  /((?:authorization|cookie|jwt|signature|nonce|secret|token|password|passphrase|api[-_]?key|private[-_]?key)(?:\\+")?\s*[=:]\s*(?:\\+")?)(?!\[redacted\])[^\s"\\&,;}]+/gi;
