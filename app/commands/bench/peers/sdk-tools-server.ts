import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { systemClock as clock } from "~/platform/clock";
import { listen } from "~/platform/http/http-server.server";
import { createHashedEmbedder } from "~/search/hashed-embedder";
import { createKnowledgeSearch } from "~/search/knowledge-search.server";
import { createSearchTool } from "~/tools/search-tool";
import { answerParent } from "../worker-process";

/** `contentDir`: with the documents to search; `dataDir`: for their index. */
export type SdkSetup = {
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[];
  contentDir: string;
  dataDir: string;
};

answerParent(startSdkServer);

/**
 * The official SDK's stateless handler with JSON answers, behind nothing but Node's own server: no limit, no checks. The
 * search is the same code over the same documents, so that what differs is the way to it; other tools do nothing.
 */
async function startSdkServer({ tools, ...folders }: SdkSetup): Promise<{ port: number }> {
  const search = await openSearch(folders);
  const schemas = tools.map((tool) => ({ ...tool, schema: fromJsonSchema(tool.inputSchema) }));
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "latchkey", version: "1" });
      for (const { name, description, schema } of schemas) {
        server.registerTool(name, { description, inputSchema: schema }, (input) =>
          name === search.name ? search.call(input) : { content: [] },
        );
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

async function openSearch(folders: Pick<SdkSetup, "contentDir" | "dataDir">) {
  const embedder = createHashedEmbedder();
  const store = createKnowledgeSearch({
    ...{ ...folders, embedder, findEmbedder: () => embedder, clock },
    warn: (message, error) => console.error(message, error),
  });
  await store.refresh();
  const tool = createSearchTool({ store, gatedNamespaces: [], requireHolder: () => Promise.resolve() });
  const { signal } = new AbortController();
  return {
    name: tool.name,
    call: async (input: unknown) => {
      const found = await tool.run({ input: tool.inputSchema.parse(input), caller: null, signal });
      const text = JSON.stringify(found);
      return {
        content: [{ type: "text" as const, text }],
        structuredContent: found as Record<string, unknown>,
      };
    },
  };
}

function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => (text += chunk)).on("error", reject);
    incoming.on("end", () => resolve(text));
  });
}
