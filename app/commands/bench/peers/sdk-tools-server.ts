import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { listen } from "~/platform/http/http-server.server";
import { answerParent } from "../worker-process";

export type SdkSetup = {
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[];
};

answerParent(startSdkServer);

/** The official SDK's stateless handler with JSON answers, behind nothing but Node's own server: no limit, no checks. */
async function startSdkServer({ tools }: SdkSetup): Promise<{ port: number }> {
  const schemas = tools.map((tool) => ({ ...tool, schema: fromJsonSchema(tool.inputSchema) }));
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "latchkey", version: "1" });
      for (const { name, description, schema } of schemas) {
        server.registerTool(name, { description, inputSchema: schema }, () => ({ content: [] }));
      }
      return server;
    },
    { responseMode: "json" },
  );
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const text = await readText(incoming);
      const headers = new Headers(incoming.headers as Record<string, string>);
      const request = new Request("http://localhost/api/mcp", { method: "POST", headers, body: text });
      const response = await handler.fetch(request, { parsedBody: JSON.parse(text) as unknown });
      const body = await response.text();
      outgoing.writeHead(response.status, {
        "Content-Type": response.headers.get("content-type") ?? "application/json",
        "Content-Length": Buffer.byteLength(body),
      });
      outgoing.end(body);
    })().catch((error: unknown) => outgoing.writeHead(500).end(String(error)));
  });
  return { port: await listen({ server, host: "127.0.0.1", port: 0 }) };
}

function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => (text += chunk)).on("error", reject);
    incoming.on("end", () => resolve(text));
  });
}
