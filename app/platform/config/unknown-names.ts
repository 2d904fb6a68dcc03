import { closest, distance } from "fastest-levenshtein";
import type { Environment } from "./setting-reader";

/** Node, the C library and compose.yaml read these from the same file. PostgreSQL's are reported separately. */
const foreignNames =
  /^(?:NODE_|MALLOC_|LD_|LC_|UV_|SSL_CERT_|PG[A-Z])|^(?:(?:HTTPS?|NO|ALL)_PROXY|TZ|LANG|PATH|HOME|TMPDIR|NO_COLOR|FORCE_COLOR|POSTGRES_PASSWORD|REDIS_PASSWORD|LATCHKEY_IMAGE)$/i;

type NameLists = {
  fileNames: readonly string[];
  known: readonly string[];
  /** Settings of earlier versions, and what takes their place. */
  gone: Readonly<Record<string, string>>;
  /** Of these, the ones that bounded money, sessions or records. */
  goneBounds: readonly string[];
};

/**
 * All names in the environment file that aren't settings. Elsewhere only names one typo away from a setting count,
 * because systemd and Docker read such files themselves. A single word, such as POST, may be anybody's.
 */
export function findUnknownNames(
  environment: Environment,
  { fileNames, known, gone, goneBounds }: NameLists,
): { isSlip: boolean; text: string }[] {
  const names = [...new Set([...Object.keys(environment), ...fileNames])].sort();
  return names.flatMap((name) => {
    const [number] = /\d+/.exec(name) ?? [];
    // RPC_URL_<chainId> stands for a name with a number.
    const settings = known.map((one) => (number ? one.replace(/<.*>$/, number) : one));
    if (settings.includes(name) || foreignNames.test(name)) return [];
    if (gone[name]) return [{ isSlip: goneBounds.includes(name), text: `${name} is gone: ${gone[name]}` }];
    const isInFile = fileNames.includes(name);
    const isLikeOurs = (one: string) => isInFile || (name.includes("_") && one.includes("_"));
    const meant = settings.find((one) => isLikeOurs(one) && isOneSlip(name, one));
    if (!meant && !isInFile) return [];
    const near = meant ?? closest(name.toUpperCase(), settings);
    const isNear = distance(name.toUpperCase(), near) <= Math.max(3, Math.floor(name.length / 3));
    const text = `${name} is not a setting of Latchkey.${isNear ? ` Did you mean ${near}?` : ""}`;
    return [{ isSlip: meant !== undefined, text }];
  });
}

/** One letter missing, added or changed, or two neighbours swapped. */
function isOneSlip(name: string, known: string): boolean {
  if (distance(name, known) === 1) return true;
  const at = [...known].findIndex((letter, index) => letter !== name[index]);
  const [one = "", other = ""] = known.slice(at);
  return at >= 0 && name === `${known.slice(0, at)}${other}${one}${known.slice(at + 2)}`;
}
