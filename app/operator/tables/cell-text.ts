/** UTC, to the second; the page says once that it is UTC. */
export function momentText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}

const longestWhole = 18;

/** Addresses, ids and subjects by their beginning and their end, which is how people compare them. */
export function shortCode(text: string): string {
  return text.length <= longestWhole ? text : `${text.slice(0, 8)}…${text.slice(-6)}`;
}

const tones: Readonly<Record<string, string>> = {
  granted: "success",
  delivered: "success",
  paid: "success",
  failed: "problem",
  handled: "plain",
  refused: "problem",
  "given up": "problem",
  waiting: "warning",
  open: "info",
};

export function stateTone(state: string): string {
  return Object.hasOwn(tones, state) ? (tones[state] ?? "plain") : "plain";
}

/** The JSON text of an audit entry, in words. */
export function describeDetail(json: string): string {
  try {
    return describeValue(JSON.parse(json) as unknown);
  } catch {
    return json;
  }
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .filter(([, member]) => member !== null && member !== "")
    .map(([name, member]) => `${name}: ${describeValue(member)}`)
    .filter((part) => !part.endsWith(": "))
    .join("; ");
}
