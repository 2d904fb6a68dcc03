import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

/** A request to a site behind a proxy, as the site reports it. */
export type SeenRequest = {
  site: string;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  bodyBytes: number;
  bodyDigest: string;
};

export type EchoSite = Awaited<ReturnType<typeof startEchoSite>>;

/** A site without keys. It reports each request, and echoes data after any upgrade. */
export async function startEchoSite(name: string) {
  const sockets = new Set<Duplex>();
  let answered = 0;
  const server = createServer((request, response) => {
    const digest = createHash("sha256");
    let bodyBytes = 0;
    request.on("data", (chunk: Buffer) => {
      digest.update(chunk);
      bodyBytes += chunk.length;
    });
    request.on("end", () => {
      answered += 1;
      const { method = "", url = "", headers } = request;
      const seen: SeenRequest = {
        site: name,
        method,
        url,
        headers,
        bodyBytes,
        bodyDigest: digest.digest("hex"),
      };
      // A page for browsers.
      const isPage = /text\/html/.test(headers.accept ?? "");
      response.writeHead(200, { "Content-Type": isPage ? "text/html" : "application/json" });
      response.end(isPage ? toPage(seen) : JSON.stringify(seen));
    });
  });
  server.on("upgrade", ({ headers: { upgrade } }, socket: Duplex) => {
    answered += 1;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${upgrade}\r\nConnection: Upgrade\r\n\r\n`);
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** Requests that reached the site. */
    countAnswered: () => answered,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function toPage(seen: SeenRequest): string {
  const json = JSON.stringify(seen).replaceAll("<", "\\u003c");
  return `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${seen.site}</title><h1>The ${seen.site}</h1><script type="application/json">${json}</script></html>`;
}

/** Reads the request from the site's page or response. */
export function readSeen(text: string): SeenRequest {
  const [, json = text] = /<script type="application\/json">(.*)<\/script>/.exec(text) ?? [];
  return JSON.parse(json) as SeenRequest;
}
