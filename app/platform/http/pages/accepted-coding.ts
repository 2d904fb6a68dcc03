/** In the order in which they are chosen where a client has no preference. */
const codings = ["br", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

/** Less than any weight that can be written: a coding that the client names is preferred. */
const unnamedIdentityWeight = 0.0001;

/** Browsers and programs send few different headers, and short ones; a longer one is not read. */
const maxCached = 100;
const maxChars = 200;
const cached = new Map<string, Coding>();

/** By the weights of Accept-Encoding (RFC 9110, 12.5.3); plain where none of ours is acceptable. */
export function chooseCoding(acceptEncoding = ""): Coding {
  if (acceptEncoding.length > maxChars) return "identity";
  const known = cached.get(acceptEncoding);
  if (known !== undefined) return known;
  const coding = weighCodings(acceptEncoding);
  const [oldest] = cached.keys();
  if (cached.size >= maxCached && oldest !== undefined) cached.delete(oldest);
  cached.set(acceptEncoding, coding);
  return coding;
}

function weighCodings(acceptEncoding: string): Coding {
  const weights = new Map(acceptEncoding.toLowerCase().split(",").map(readWeight));
  const weigh = (coding: Coding) =>
    weights.get(coding) ?? weights.get("*") ?? (coding === "identity" ? unnamedIdentityWeight : 0);
  const acceptable = codings.filter((coding) => weigh(coding) > 0);
  return acceptable.reduce(
    (best, coding) => (weigh(coding) > weigh(best) ? coding : best),
    acceptable[0] ?? "identity",
  );
}

function readWeight(entry: string): [coding: string, weight: number] {
  const [coding = "", ...parameters] = entry.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight)];
}
