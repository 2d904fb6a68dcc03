import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { listen } from "~/platform/http/connection/http-server.server";
import { servePeer } from "../peer-process";

/** `tools`: as the measured server lists them. */
export type McpSetup = {
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[];
};

/** The official SDK's stateless handler with JSON responses on Node's HTTP server, without limits or checks. */
servePeer(async ({ tools }: McpSetup) => {
  const schemas = tools.map((tool) => ({ ...tool, schema: fromJsonSchema(tool.inputSchema) }));
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "latchkey", version: "1" });
      for (const { name, description, schema } of schemas)
        server.registerTool(name, { description, inputSchema: schema }, () => ({ content: [] }));
      return server;
    },
    { responseMode: "json" },
  );
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const sent = await text(incoming);
      const headers = new Headers(incoming.headers as Record<string, string>);
      const request = new Request("http://localhost/api/mcp", { method: "POST", headers, body: sent });
      const response = await handler.fetch(request, { parsedBody: JSON.parse(sent) as unknown });
      const body = await response.text();
      outgoing.writeHead(response.status, {
        "Content-Type": response.headers.get("content-type") ?? "application/json",
        "Content-Length": Buffer.byteLength(body),
      });
      outgoing.end(body);
    })().catch((error: unknown) => outgoing.writeHead(500).end(String(error)));
  });
  return await listen(server, "127.0.0.1", 0);
});
