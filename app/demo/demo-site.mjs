// The demo's second site: plain files, and a minimal proxy that opens them to holders. docs/door.md has the proxies to
// use.
import { readFileSync } from "node:fs";
import http from "node:http";
import { pipeline } from "node:stream/promises";

const folder = new URL("./site/", import.meta.url);
/** @type {Map<string, { type: string, file: string }>} */
const files = new Map([
  ["/", { type: "text/html; charset=utf-8", file: "index.html" }],
  ["/tides.html", { type: "text/html; charset=utf-8", file: "tides.html" }],
  ["/site.css", { type: "text/css; charset=utf-8", file: "site.css" }],
]);

/** Latchkey gets these of a visitor's request. A visitor could forge the others. */
const passedOn = ["accept", "accept-language", "cookie", "sec-fetch-mode", "user-agent"];
/** A visitor gets these of Latchkey's response. */
const passedBack = [
  "cache-control",
  "content-security-policy",
  "content-type",
  "location",
  "referrer-policy",
  "retry-after",
  "set-cookie",
];
const timeoutMs = 10_000;

/**
 * Opens the site on a port of the loopback address. `gatePort`: where Latchkey is.
 *
 * @param {{ port: number, gatePort: number }} options
 * @returns {Promise<{ stop: () => Promise<void> }>}
 */
export async function startDemoSite({ port, gatePort }) {
  const server = http.createServer((request, response) => {
    respond({ request, response, port, gatePort }).catch(() => {
      if (!response.headersSent) response.writeHead(502, { "Content-Type": "text/plain" });
      response.end("Latchkey did not respond.\n");
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined));
  });
  return {
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @typedef {{ request: http.IncomingMessage, response: http.ServerResponse, port: number, gatePort: number }} Exchange */

/** @param {Exchange} exchange */
async function respond(exchange) {
  const { request, response } = exchange;
  const { url = "/", method = "GET" } = request;
  if (!url.startsWith("/")) return void response.writeHead(400).end();
  if (url.startsWith("/.latchkey/")) return await passBack(response, await askLatchkey(exchange, url));
  const verdict = await askLatchkey(exchange, "/api/door");
  if (verdict.statusCode !== 200) return await passBack(response, verdict);
  verdict.resume();
  const found = files.get(url.split("?")[0] ?? "");
  if (method !== "GET" && method !== "HEAD")
    return void response.writeHead(405, { Allow: "GET, HEAD" }).end();
  if (!found)
    return void response.writeHead(404, { "Content-Type": "text/plain" }).end("There is no such page.\n");
  response.writeHead(200, { "Content-Type": found.type, "Cache-Control": "private, no-cache" });
  response.end(readFileSync(new URL(found.file, folder)));
}

/**
 * @param {Exchange} exchange
 * @param {string} path
 * @returns {Promise<http.IncomingMessage>}
 */
async function askLatchkey({ request, port, gatePort }, path) {
  const { headers, method = "GET", url = "/" } = request;
  const given = passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  const host = `localhost:${port}`;
  const outgoing = http.request({
    host: "127.0.0.1",
    port: gatePort,
    path,
    method: path === "/api/door" || method !== "HEAD" ? "GET" : "HEAD",
    timeout: timeoutMs,
    headers: {
      ...Object.fromEntries(given),
      Host: host,
      "X-Forwarded-For": request.socket.remoteAddress ?? "",
      "X-Forwarded-Proto": "http",
      "X-Forwarded-Host": host,
      "X-Forwarded-Uri": url,
      "X-Forwarded-Method": method,
    },
  });
  return await new Promise((resolve, reject) => {
    outgoing.once("timeout", () => outgoing.destroy(new Error("Latchkey took too long.")));
    outgoing.once("error", reject).once("response", resolve).end();
  });
}

/** @param {http.ServerResponse} response @param {http.IncomingMessage} incoming */
async function passBack(response, incoming) {
  const { headers, statusCode = 502 } = incoming;
  for (const name of passedBack) {
    const value = headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(statusCode);
  await pipeline(incoming, response);
}
