import fastify from "fastify";
import { answerParent } from "../worker-process";
import { openGateStatements } from "./gate-statements";
import type { StatementsSetup } from "./gate-statements";

answerParent(startFastifyServer);

const text = { type: "string" };
const yesOrNo = { type: "boolean" };
const count = { type: "integer" };

/** The same statements behind Fastify, with schemas, from which it makes its validators and serialisers. */
async function startFastifyServer(setup: StatementsSetup): Promise<{ port: number }> {
  const statements = await openGateStatements(setup);
  const server = fastify({ logger: false });
  const answering = (properties: Record<string, object>) => ({
    response: { 200: { type: "object", properties } },
  });

  server.get("/api/nonce", { schema: answering({ nonce: text }) }, () => statements.issueNonce());
  server.get(
    "/api/token-status/:tokenId",
    { schema: answering({ tokenId: text, exists: yesOrNo, count, used: yesOrNo }) },
    () => statements.readStatus(),
  );
  // What is granted is sent as it came from the real server: bytes need no serialiser.
  server.post("/api/gate-access", async (request, reply) => {
    if (request.headers.authorization === undefined) return reply.code(401).send();
    const body = await statements.enterWithToken();
    return reply.type("application/json; charset=utf-8").send(body);
  });
  const numbers = { limit: count, used: count, reserved: count, remaining: count };
  server.get(
    "/api/quota",
    { schema: answering({ active: yesOrNo, ...numbers, resetAt: { ...text, nullable: true } }) },
    () => statements.readQuota(),
  );
  const formFields = { tokenId: text, message: text, signature: text, address: text, timestamp: count };
  server.post<{ Body: { tokenId: string; message: string } }>(
    "/api/form-submission-gate",
    {
      schema: {
        body: { type: "object", required: Object.keys(formFields), properties: formFields },
        ...answering({ success: yesOrNo, message: text }),
      },
    },
    ({ body }) => statements.submit(body),
  );

  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  return { port: Number(new URL(address).port) };
}
