import { afterAll, beforeAll, expect, test } from "vitest";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { sendRaw } from "./raw-http";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { RATE_LIMIT_GATE_ACCESS: "0", RATE_LIMIT_NONCE: "0" } });
});
afterAll(() => gate.close());

const json = "Content-Type: application/json\r\n";
function post(headers: string, body = ""): string {
  return `POST /api/gate-access HTTP/1.1\r\nHost: localhost:${gate.server.port}\r\n${headers}\r\n${body}`;
}

test("two Host headers are refused", async () => {
  const answer = await sendRaw({
    port: gate.server.port,
    bytes: `GET /api/nonce HTTP/1.1\r\nHost: localhost:${gate.server.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toContain("more than one Host header");
});

function ask(line: string, { host = `localhost:${gate.server.port}`, headers = "" } = {}) {
  const bytes = `${line} HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`;
  return sendRaw({ port: gate.server.port, bytes });
}

test("an absolute URL is read as its path when it names the requested host, and refused otherwise", async () => {
  const own = `http://localhost:${gate.server.port}`;
  const settings = await ask(`GET ${own}/api/settings`);
  expect([settings.status, settings.body]).toEqual([200, expect.stringContaining('"chainId"')]);
  expect((await ask(`GET ${own}/gate`)).status).toBe(200);
  expect((await ask(`GET ${own}/no-such-page`)).status).toBe(404);
  for (const answer of [
    await ask("GET http://evil.example/"),
    await ask("GET http://evil.example/api/nonce"),
    await ask(`GET ${own}/api/nonce`, { host: "evil.example" }),
    await ask("GET http://evil.example@localhost/"),
  ]) {
    expect(answer.status).toBe(400);
    expect(answer.head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
    expect(answer.body).toContain("different hosts");
    expect(answer.body).not.toMatch(/<html|"nonce"/);
  }
});

test("an address that cannot be read is refused", async () => {
  for (const path of ["//u@host#", "//a@[x#"]) {
    const answer = await ask(`GET ${path}`, { headers: "Accept: text/html\r\n" });
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.stringContaining("a character that is not allowed"),
    ]);
    expect(answer.head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
  }
});

test("an address of nothing but dots is answered like any other that is not there", async () => {
  for (const path of [`/${".".repeat(8_000)}/`, `/${".".repeat(8_000)}/x.y`]) {
    const answer = await ask(`GET ${path}`, { headers: "Accept: text/html\r\n" });
    expect(answer.status, path.slice(0, 20)).toBe(404);
    expect(answer.head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
    expect(answer.head).toMatch(/content-security-policy: default-src 'self'/i);
    expect(answer.body).not.toContain("Cannot GET");
  }
});

test("the target * is answered for OPTIONS with the methods there are, and refused otherwise", async () => {
  const options = await ask("OPTIONS *");
  expect(options.status).toBe(204);
  expect(options.head).toMatch(/allow: GET, HEAD, POST, OPTIONS/i);
  for (const method of ["GET", "POST", "DELETE"]) {
    const answer = await ask(`${method} *`);
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining("Only OPTIONS")]);
  }
});

test("the framework's manifest of routes is not served, however many paths are requested", async () => {
  const paths = Array.from({ length: 50 }, (_, index) => `p=${"/gate".repeat(index + 1)}`).join("&");
  for (const target of ["/__manifest", `/__manifest?version=1&${paths}`]) {
    expect((await ask(`GET ${target}`)).status, target).toBe(404);
  }
});

test("text that a stranger puts into an address is not repeated in any page's data", async () => {
  const words = "reflected".repeat(400);
  for (const page of ["_root", "gate", "chat", "docs", "problems", "problems/too-many-requests"]) {
    const answer = await ask(`GET /${page}.data?token=${words}&next=${words}&tokenId=${words}&${words}=1`);
    expect(answer.status, page).toBe(200);
    expect(answer.body, page).not.toContain("reflectedreflected");
  }
});

test("files around the program are not served, in whatever way they are requested", async () => {
  const files = [
    "package.json",
    "server.ts",
    ".env",
    ".git/HEAD",
    ".git/config",
    "prisma/schema.prisma",
    "data",
  ];
  const ways = [
    "/",
    "/build/",
    "/build/../",
    "/build/../../",
    "/%2e%2e/",
    "/build/..%2f..%2f",
    "/media/../",
    "//",
  ];
  for (const target of ways.flatMap((way) => files.map((file) => `${way}${file}`))) {
    const answer = await ask(`GET ${target}`);
    // An unsigned media link is a 403.
    expect([400, 403, 404], target).toContain(answer.status);
    expect(answer.body, target).not.toMatch(
      /"private": true|createHttpServer|ref: refs|\[core\]|datasource db/,
    );
  }
  for (const folder of ["/build", "/build/", "/media/", "/icons/"]) {
    expect((await ask(`GET ${folder}`)).body, folder).not.toContain("Index of");
    expect((await ask(`GET ${folder}`)).status, folder).not.toBe(200);
  }
});

test("TRACE does not echo the request", async () => {
  for (const target of ["/api/nonce", "/api/chat", "/", "/gate", "/manifest.webmanifest", "/healthz"]) {
    const answer = await ask(`TRACE ${target}`, { headers: "Authorization: Bearer told-to-nobody\r\n" });
    expect(answer.status, target).toBeGreaterThanOrEqual(400);
    expect(answer.text, target).not.toContain("told-to-nobody");
  }
});

test("other sites get no referrer from a page", async () => {
  for (const target of ["/", "/gate", "/chat", "/docs", "/no-such-page"]) {
    expect((await ask(`GET ${target}`)).head, target).toMatch(/^referrer-policy: same-origin\r?$/im);
  }
});

const tokenRoutes: [method: string, path: string, body: string, shape: object][] = [
  ["POST", "/api/gate-access", "", { title: "Invalid request", status: 400 }],
  ["POST", "/api/chat", '{"messages":[{"role":"user","content":"Hello"}]}', { error: "Invalid request" }],
  ["GET", "/api/quota", "", { error: "Invalid request" }],
  ["POST", "/api/quota-reset", '{"scope":"both","all":true}', { error: "Invalid request" }],
  ["POST", "/api/mcp", '{"method":"tools/list"}', { error: { code: -32600 } }],
  ["GET", "/metrics", "", { title: "Invalid request", status: 400 }],
];
test.each(tokenRoutes)(
  "two Authorization headers are refused, even of one valid token: %s %s",
  async (...route) => {
    const [method, path, body, shape] = route;
    const { accessToken } = (await gate.signIn(await gate.mintKey())).body;
    const good = `Authorization: Bearer ${String(accessToken)}\r\n`;
    const rest = `${json}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
    const send = (headers: string) =>
      sendRaw({
        port: gate.server.port,
        bytes: `${method} ${path} HTTP/1.1\r\nHost: localhost:${gate.server.port}\r\n${rest}${headers}\r\n${body}`,
      });
    for (const headers of [
      `${good}${good}`,
      `${good}AUTHORIZATION: Bearer other\r\n`,
      `Authorization: Basic eDp5\r\n${good}`,
      `Authorization:\r\n${good}`,
    ]) {
      const answer = await send(headers);
      expect([answer.status, answer.body]).toEqual([
        400,
        expect.stringContaining("more than one Authorization"),
      ]);
      expect(JSON.parse(answer.body)).toMatchObject(shape);
    }
    expect((await send(good)).status).not.toBe(400);
  },
);

test("a length together with chunks is refused, and what follows is not read as a second request", async () => {
  const answer = await sendRaw({
    port: gate.server.port,
    bytes: post(
      `${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
      "0\r\n\r\nGET /api/nonce HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
  });
  expect(answer.status).toBe(400);
  expect(answer.head + answer.body).not.toContain("nonce");
});

test("a declared length of 10 GB is refused before any of it is read, and the connection is closed", async () => {
  const answer = await sendRaw({
    port: gate.server.port,
    bytes: post(`${json}Content-Length: 10737418240\r\n`, "{"),
  });
  expect(answer.status).toBe(413);
  expect(answer.closedAfterMs).toBeLessThan(5000);
});

test("an endless chunked body is cut off at the limit", async () => {
  const chunk = `4000\r\n${"a".repeat(0x4000)}\r\n`;
  let sentBytes = 0;
  const answer = await sendRaw({
    port: gate.server.port,
    bytes: post(`${json}Transfer-Encoding: chunked\r\n`),
    write: (socket) => {
      function pump(): void {
        while (!socket.destroyed && sentBytes < 64 * 1024 * 1024) {
          sentBytes += chunk.length;
          if (!socket.write(chunk)) {
            socket.once("drain", pump);
            return;
          }
        }
      }
      pump();
    },
  });
  expect(answer.status).toBe(413);
  expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
});

test("a body of one byte a piece is refused within its first hundred thousand bytes", async () => {
  const pieces = "1\r\n \r\n".repeat(250_000);
  const answer = await sendRaw({
    port: gate.server.port,
    bytes: `${post(`${json}Transfer-Encoding: chunked\r\n`)}${pieces}`,
  });
  expect([answer.status, answer.body]).toEqual([413, expect.stringContaining("mostly framing")]);
  expect(answer.closedAfterMs).toBeLessThan(5000);
});

test("a host that cannot be read is 400 on pages, files and the API's addresses, and never an error", async () => {
  const hosts = ["x:99999", "a b", "a%zz", "[", "[::1", "xn--", "1.2.3.4.5", "a|b", "user@h"];
  for (const path of ["/", "/gate", "/nothing.data", "/build/x"]) {
    for (const host of hosts) {
      const { status, text } = await ask(`GET ${path}`, { host });
      expect(status, `${path} at ${host}: ${text}`).toBe(400);
    }
  }
  const forwarded = await ask("GET /gate", { headers: "X-Forwarded-Host: x:99999\r\n" });
  expect(forwarded.status).toBe(200);
});

test("a client that sends a thousand requests ahead is cut off, and costs no memory", async () => {
  const { port } = gate.server;
  const file = /\/build\/_shared\/[^"]+\.js/.exec((await ask("GET /gate")).text)![0];
  const line = `GET ${file} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept-Encoding: br\r\n\r\n`;
  const answer = await sendRaw({ port, bytes: line.repeat(1_000) });
  expect(answer.closedAfterMs).toBeLessThan(5000);
  expect(answer.text.split("HTTP/1.1 200").length).toBeLessThan(20);
});

test("headers beyond 32 KiB are refused", async () => {
  const answer = await sendRaw({ port: gate.server.port, bytes: post(`X-Long: ${"a".repeat(40_000)}\r\n`) });
  expect(answer.status).toBe(431);
});

test("malformed requests, old versions and bad targets do not stop the server", async () => {
  const host = `Host: localhost:${gate.server.port}\r\n`;
  const lines = [
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "GET\r\n\r\n",
    `GET http://[::1 HTTP/1.1\r\n${host}\r\n`,
    `GET //evil.example/api/nonce HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    `GET /%E0%A4%A HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    `GET /api/token-status/%00 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    `GET /media/1/..%2f..%2fetc%2fpasswd HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    `GET /build/../../package.json HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  ];
  for (const bytes of lines) {
    const answer = await sendRaw({ port: gate.server.port, bytes, limitMs: 3000 });
    expect(answer.status ?? 400, bytes).toBeLessThan(500);
    expect(answer.body).not.toContain('"dependencies"');
  }
  expect((await gate.ask({ path: "/healthz" })).status).toBe(200);
});

test("the host that a proof is bound to is not read from a stranger's X-Forwarded-Host", async () => {
  const { account, tokenId } = await gate.mintKey();
  const body = JSON.stringify(await gate.siweBody({ account, tokenId }));
  const answer = await sendRaw({
    port: gate.server.port,
    bytes: post(
      `${json}Connection: close\r\nX-Forwarded-Host: evil.example\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`,
      body,
    ),
  });
  expect(answer.status).toBe(200);
  const forged = JSON.stringify(await gate.siweBody({ account, tokenId }));
  const refused = await sendRaw({
    port: gate.server.port,
    bytes: `POST /api/gate-access HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost:${gate.server.port}\r\nConnection: close\r\n${json}Content-Length: ${Buffer.byteLength(forged)}\r\n\r\n${forged}`,
  });
  expect(refused.status).toBe(401);
});
