import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createKeyStore } from "~/gate/keys.store.server";
import type { KeyRef } from "~/gate/key-ref";
import { createNonceStore } from "~/gate/nonces.store.server";
import { systemClock } from "~/platform/clock";
import { openDatabase } from "~/platform/database/database.server";
import { listen } from "~/platform/http/http-server.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { answerParent } from "./worker-process";

export type BareSetup = {
  databaseUrl: string;
  key: KeyRef;
  holder: string;
  /** What the real server answered, so that the same bytes go over the wire. */
  bodies: { signIn: string; bearer: string };
};

const clientId = "127.0.0.1";

answerParent(startBareServer);

/**
 * What a request costs when nothing is done but its database statements: Node's own HTTP server, the service's own
 * stores on the same Prisma client with the same settings, and an answer of the same size. No proof is checked.
 */
async function startBareServer({ databaseUrl, key, holder, bodies }: BareSetup): Promise<{ port: number }> {
  await migrateDatabase({ url: databaseUrl, migrationsDir: "prisma/migrations" });
  const database = await openDatabase({ url: databaseUrl });
  const nonces = createNonceStore({ database, clock: systemClock });
  const keys = createKeyStore({ database });

  async function answer(request: IncomingMessage): Promise<string> {
    if (request.url === "/api/nonce") {
      const value = randomBytes(16).toString("hex");
      await nonces.issueNonce({ value, clientId, ttlSeconds: 300 });
      return JSON.stringify({ nonce: value });
    }
    if (request.method === "GET") {
      const used = await keys.findUsedKey({ key });
      return JSON.stringify({ tokenId: key.tokenId, exists: true, count: 1, used: used !== null });
    }
    if (request.headers.authorization !== undefined) {
      await keys.findKeyState({ key, holder });
      return bodies.bearer;
    }
    const { nonce } = JSON.parse(await readText(request)) as { nonce: string };
    const verdict = await nonces.consumeNonce({ value: nonce, clientId });
    if (verdict !== "consumed") throw new Error(`The nonce was not consumed but ${verdict}.`);
    await keys.findKeyState({ key, holder });
    return bodies.signIn;
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (text) => send({ response, status: 200, text }),
      (error: unknown) => send({ response, status: 500, text: String(error) }),
    );
  });
  return { port: await listen({ server, host: "127.0.0.1", port: 0 }) };
}

function send({ response, status, text }: { response: ServerResponse; status: number; text: string }): void {
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk)).on("error", reject);
    request.on("end", () => resolve(text));
  });
}
