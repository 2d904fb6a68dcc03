import { readYaml } from "../read-yaml";
import type { YamlValue } from "../read-yaml";
import { readDocumentedFiles, requireFile } from "./documented-files";

type Headers = Record<string, string>;
type Names = { [name: string]: YamlValue };
type VisitorRequest = { method: string; host: string; path: string; headers: Headers };

/**
 * Plays Traefik 3 by the files of docs/door.md, because Debian has no package of it. Names are in lower case. `address`
 * and `question` are the URL and headers of the gate's request. `toSite` is the site's request after a 200.
 */
export async function playTraefik({ method, host, path, headers }: VisitorRequest) {
  const files = await readDocumentedFiles();
  const read = async (name: string) => {
    const file = (await readYaml(requireFile(files, `/etc/traefik/dynamic/${name}.yml`))) as Names;
    return file.http as Record<"routers" | "middlewares", Names>;
  };
  const [{ routers }, { middlewares }] = await Promise.all([read("wiki"), read("latchkey")]);
  const names = ((routers.wiki as Names).middlewares as string[]).map((name) => middlewares[name] as Names);
  const custom = names.flatMap((each) => Object.entries((each.headers as Names)?.customRequestHeaders ?? {}));
  const forwardAuth = names.find((each) => "forwardAuth" in each)!.forwardAuth as Names;
  const lowerCased = (list: YamlValue | undefined) => (list as string[]).map((name) => name.toLowerCase());
  if (forwardAuth.trustForwardHeader !== false) throw new Error("The file trusts what visitors say.");

  // The entry point removes a visitor's X-Forwarded-… headers, then the middlewares follow in order.
  const kept = new Map(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !name.startsWith("x-forwarded-")),
  );
  for (const [name, value] of custom) {
    if (value === "") kept.delete(name.toLowerCase());
    else kept.set(name.toLowerCase(), String(value));
  }
  const passedOn = lowerCased(forwardAuth.authRequestHeaders);
  const told = {
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-proto": "https",
    "x-forwarded-host": host,
    "x-forwarded-uri": path,
    "x-forwarded-method": method,
  };
  return {
    path: new URL(String(forwardAuth.address)).pathname,
    question: { ...Object.fromEntries([...kept].filter(([name]) => passedOn.includes(name))), ...told },
    toSite: (answer: globalThis.Headers): Headers => {
      const sent = new Map(kept);
      for (const name of lowerCased(forwardAuth.authResponseHeaders)) {
        const value = answer.get(name);
        if (value === null) sent.delete(name);
        else sent.set(name, value);
      }
      return Object.fromEntries(sent);
    },
  };
}
