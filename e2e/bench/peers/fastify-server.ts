import { randomUUID } from "node:crypto";
import fastify from "fastify";
import type { FastifyInstance, FastifyReply } from "fastify";
import { createFlitePool } from "~/speech/flite/flite-pool.server";
import { createFliteSpeech } from "~/speech/providers/flite.gateway.server";
import type { FixedAnswer } from "../fixed-answers";
import { answerParent } from "../worker-process";
import { openGateStatements } from "./gate-statements";
import type { GateStatements, OlderSignIn, StatementsSetup } from "./gate-statements";

/** `fixed`: what the real server answered, to be sent again. */
export type FastifySetup = StatementsSetup & { fixed: readonly FixedAnswer[] };

answerParent(startFastifyServer);

const text = { type: "string" };
const yesOrNo = { type: "boolean" };
const count = { type: "integer" };
const answering = (properties: Record<string, object>) => ({
  response: { 200: { type: "object", properties } },
});
const taking = (properties: Record<string, object>) => ({
  body: { type: "object", required: Object.keys(properties), properties },
});

/** The same statements behind Fastify, with schemas, from which it makes its validators and serialisers. */
async function startFastifyServer({ fixed, ...setup }: FastifySetup): Promise<{ port: number }> {
  const statements = await openGateStatements(setup);
  const server = fastify({ logger: false });
  addGate({ server, statements });
  addSessions({ server, statements });
  addQuotas({ server, statements });
  addSpeech(server);
  addFixed(server, fixed);
  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  return { port: Number(new URL(address).port) };
}

type Site = { server: FastifyInstance; statements: GateStatements };

function addGate({ server, statements }: Site): void {
  server.get("/api/nonce", { schema: answering({ nonce: text }) }, () => statements.issueNonce());
  server.get(
    "/api/token-status/:tokenId",
    { schema: answering({ tokenId: text, exists: yesOrNo, count, used: yesOrNo }) },
    () => statements.readStatus(),
  );
  const signed = { tokenId: text, signature: text, address: text, timestamp: count };
  server.post<{ Body: OlderSignIn | undefined }>("/api/gate-access", async ({ headers, body }, reply) => {
    if (headers.authorization !== undefined) return sendJson(reply, await statements.enterWithToken());
    if (body?.timestamp === undefined) return reply.code(401).send();
    return sendJson(reply, await statements.signInByOlderSignature(body));
  });
  server.post<{ Body: { tokenId: string; message: string } }>(
    "/api/form-submission-gate",
    {
      schema: { ...taking({ ...signed, message: text }), ...answering({ success: yesOrNo, message: text }) },
    },
    ({ body }) => statements.submit(body),
  );
}

function addSessions({ server, statements }: Site): void {
  server.get("/session", async ({ headers }, reply) => {
    if (headers.cookie === undefined) return reply.code(401).send();
    return sendJson(reply, await statements.readSession());
  });
  const sessionOrder = { type: ["object", "null"], properties: { open: yesOrNo, renew: yesOrNo } };
  server.delete("/session", ({ headers }, reply) => {
    if (headers.cookie === undefined) return reply.code(401).send();
    const cookie = "access_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";
    return sendJson(reply.header("Set-Cookie", cookie), '{"signedIn":false}');
  });
  server.post<{ Body: { open?: boolean } | null }>(
    "/session",
    { schema: { body: sessionOrder } },
    async (request, reply) => {
      const { authorization } = request.headers;
      const token = authorization?.replace("Bearer ", "access_token=");
      const cookie = request.headers.cookie ?? token;
      if (cookie === undefined) return reply.code(401).send();
      if (request.body?.open) return sendJson(reply, await statements.enterWithToken());
      const session = await statements.readSession();
      return sendJson(reply.header("Set-Cookie", `${cookie}; Path=/; HttpOnly; SameSite=Strict`), session);
    },
  );
}

function addQuotas({ server, statements }: Site): void {
  const numbers = { limit: count, used: count, reserved: count, remaining: count };
  server.get(
    "/api/quota",
    { schema: answering({ active: yesOrNo, ...numbers, resetAt: { ...text, nullable: true } }) },
    () => statements.readQuota(),
  );
  const deleted = { type: "object", properties: { deleted: count } };
  server.post<{ Body: { scope: string; tokenIds: string[] } }>(
    "/api/quota-reset",
    {
      schema: {
        ...taking({ scope: text, tokenIds: { type: "array", items: text } }),
        ...answering({ ok: yesOrNo, scope: text, mode: text, token: deleted }),
      },
    },
    ({ body }) => statements.resetQuota(body),
  );
}

/** The same voice in as many threads, with nothing kept of what it said. */
function addSpeech(server: FastifyInstance): void {
  const pool = createFlitePool({ maxThreads: 2, maxWaiting: 16 });
  const voice = createFliteSpeech(pool, "slt");
  server.post<{ Body: { text: string } }>(
    "/api/tts",
    { schema: taking({ text }) },
    async ({ body }, reply) => {
      const { contentType, chunks } = await voice.speak({
        text: body.text,
        clientId: randomUUID(),
        signal: new AbortController().signal,
      });
      const audio: Uint8Array[] = [];
      for await (const chunk of chunks) audio.push(chunk);
      return reply.type(contentType).send(Buffer.concat(audio));
    },
  );
}

function addFixed(server: FastifyInstance, fixed: readonly FixedAnswer[]): void {
  for (const path of new Set(fixed.map((answer) => answer.path))) {
    const find = (isSignedIn: boolean) =>
      fixed.find((answer) => answer.path === path && answer.isSignedIn === isSignedIn);
    server.get(path, ({ headers }, reply) => {
      const answer = find(headers.cookie !== undefined);
      if (answer === undefined) return reply.code(404).send();
      return reply.type(answer.type).send(answer.body);
    });
  }
}

/** What came from the real server goes as it came: bytes need no serialiser. */
function sendJson(reply: FastifyReply, body: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(body);
}
