import { SpanKind, trace } from "@opentelemetry/api";
import { expect, onTestFinished } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { startCollector, tracesTo } from "~e2e/support/providers/otlp-collector";
import { openTracing } from "./tracing.gateway.server";

testOnEachDatabase("statements are spans of their request, without any value", async ({ url, database }) => {
  const collector = await startCollector();
  onTestFinished(collector.close);
  const tracing = await openTracing(tracesTo(collector));
  const secret = "0x5ec2e7";
  await database.nonce.findMany({ where: { value: "outside" } });
  await trace.getTracer("test").startActiveSpan("GET /x", { kind: SpanKind.SERVER }, async (root) => {
    await database.nonce.findMany({ where: { value: secret } });
    await database.$transaction(
      async (transaction) => await transaction.$executeRaw`DELETE FROM "Nonce" WHERE "value" = ${secret}`,
    );
    await expect(database.$queryRaw`SELECT * FROM "NoSuchTable" WHERE 1 = ${secret}`).rejects.toThrow();
    root.end();
  });
  await tracing.stop();
  const { spans } = collector;
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans).toContainEqual(
    expect.objectContaining({
      name: "prisma:client:operation",
      attributes: { model: "Nonce", method: "findMany" },
    }),
  );
  expect(spans.map(({ name }) => name)).toContain("prisma:client:transaction");
  const statements = spans.filter(({ name }) => name === "prisma:client:db_query");
  const texts = statements.map(({ attributes }) => String(attributes["db.query.text"])).join("\n");
  expect(texts).toMatch(/SELECT[^\n]+Nonce/);
  expect(texts).toContain('DELETE FROM "Nonce"');
  const system = url.startsWith("file:") ? "sqlite" : "postgresql";
  expect(statements.every(({ attributes }) => attributes["db.system.name"] === system)).toBe(true);
  expect(collector.requests.map(({ text }) => text).join()).not.toContain(secret);
});
