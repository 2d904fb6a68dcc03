import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
export type DoorSite = {
  host: string;
  origin: string;
  /** From then on browsers never get the door's cookie. */
  loseCookies: () => void;
  stop: () => void;
};

/** A site without keys, behind a small proxy that asks the gate about each request. */
export async function startDoorSite(port: number, gateUrl: string): Promise<DoorSite> {
  // Another site than the gate on localhost, so none of its cookies are sent.
  const host = `127.0.0.1:${port}`;
  let losesCookies = false;

  function asked({ url = "/", method = "GET" }: IncomingMessage): Record<string, string> {
    return {
      "x-forwarded-proto": "http",
      "x-forwarded-host": host,
      "x-forwarded-uri": url,
      "x-forwarded-method": method,
    };
  }

  function pass(path: string, from: IncomingMessage, onAnswer: (answer: IncomingMessage) => void): void {
    const headers = { ...from.headers, ...asked(from) };
    request(`${gateUrl}${path}`, { headers }, onAnswer).end();
  }

  function copy(answer: IncomingMessage, to: ServerResponse): void {
    const { "set-cookie": cookies = [], ...headers } = answer.headers;
    const kept = cookies.filter((cookie) => !losesCookies || !cookie.startsWith("latchkey-door-"));
    to.writeHead(answer.statusCode ?? 500, { ...headers, "set-cookie": kept });
    answer.pipe(to);
  }

  const server = createServer((from, to) => {
    if (from.url?.startsWith("/.latchkey/")) return pass(from.url, from, (answer) => copy(answer, to));
    pass("/api/door", from, (answer) => {
      if (answer.statusCode !== 200) return copy(answer, to);
      answer.resume();
      const user = String(answer.headers["remote-user"]);
      to.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      to.end(
        `<!doctype html><html lang="en"><head><title>Wiki</title><link rel="icon" href="data:,"></head><body><h1>The wiki</h1><p>${user}</p><p>${from.url}</p></body></html>`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    host,
    origin: `http://${host}`,
    loseCookies: () => void (losesCookies = true),
    stop: () => void server.close(),
  };
}
