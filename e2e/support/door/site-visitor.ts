import { once } from "node:events";
import https from "node:https";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { text } from "node:stream/consumers";

export type VisitorAnswer = { status: number; headers: IncomingHttpHeaders; body: string };
export type VisitorRequest = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Readable;
  /** Replaces the path: any text a client may write into the request line. */
  target?: string;
};

const maxRedirects = 10;
export const asPage = { Accept: "text/html,application/xhtml+xml" };

export type Visitor = ReturnType<typeof createVisitor>;

/** An HTTP browser: keeps cookies for each host and follows redirects. All hosts are at one port. */
export function createVisitor(port: number) {
  const jar = new Map<string, Map<string, string>>();
  const agent = new https.Agent({ keepAlive: true });

  function optionsFor({ hostname, pathname, search }: URL, request: VisitorRequest): https.RequestOptions {
    const cookies = [...(jar.get(hostname) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
    return {
      host: "127.0.0.1",
      port,
      servername: hostname,
      rejectUnauthorized: false,
      agent,
      method: request.method ?? "GET",
      path: request.target ?? `${pathname}${search}`,
      headers: { Host: hostname, ...(cookies && { Cookie: cookies }), ...request.headers },
    };
  }

  function keepCookies({ hostname }: URL, lines: readonly string[]): void {
    const kept = jar.get(hostname) ?? new Map<string, string>();
    jar.set(hostname, kept);
    for (const line of lines) {
      const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
      const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
      const isOver = attributes.some((attribute) => /^max-age=0$|^expires=.*1970/i.test(attribute));
      if (isOver || value === "") kept.delete(name);
      else kept.set(name, value);
    }
  }

  async function ask(address: string, request: VisitorRequest = {}): Promise<VisitorAnswer> {
    const url = new URL(address);
    const outgoing = https.request(optionsFor(url, request));
    const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
    if (request.body === undefined || typeof request.body === "string") outgoing.end(request.body);
    else request.body.pipe(outgoing);
    const [incoming] = await answered;
    keepCookies(url, incoming.headers["set-cookie"] ?? []);
    return { status: incoming.statusCode!, headers: incoming.headers, body: await text(incoming) };
  }

  /** Opens a page as a browser does. `trail` has every address on the way. Stops at a page or at `stopAt`. */
  async function visit(address: string, stopAt?: RegExp) {
    const trail = [address];
    for (;;) {
      const current = trail.at(-1)!;
      const answer = await ask(current, { headers: asPage });
      const { location } = answer.headers;
      if (location === undefined || answer.status < 300 || answer.status > 399) return { ...answer, trail };
      const next = new URL(location, current).href;
      if (stopAt?.test(next)) return { ...answer, trail: [...trail, next] };
      if (trail.length > maxRedirects) throw new Error(`In circles: ${trail.join(" -> ")}`);
      trail.push(next);
    }
  }

  /** `protocols` go into separate headers. */
  async function openSocket(
    address: string,
    protocols: readonly string[] = ["websocket"],
  ): Promise<{ status: number; socket: Duplex | null }> {
    const headers = { Connection: "Upgrade", "Sec-WebSocket-Version": "13" };
    const outgoing = https.request({
      ...optionsFor(new URL(address), {
        headers: { ...headers, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" },
      }),
      agent: false,
    });
    outgoing.setHeader("Upgrade", protocols);
    outgoing.end();
    return await new Promise((resolve, reject) => {
      outgoing.once("error", reject);
      outgoing.once("upgrade", ({ statusCode = 0 }, socket) => resolve({ status: statusCode, socket }));
      outgoing.once("response", (incoming) => {
        incoming.resume();
        resolve({ status: incoming.statusCode ?? 0, socket: null });
      });
    });
  }

  return {
    ask,
    visit,
    openSocket,
    cookieOf: (host: string, name: string) => jar.get(host)?.get(name) ?? null,
    close: () => agent.destroy(),
  };
}
