import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { systemClock as clock } from "~/platform/time/clock";
import { listen } from "~/platform/http/connection/http-server.server";
import { createKnowledgeSearch } from "~/search/knowledge-search.server";
import { createSearchTool } from "~/tools/search-tool";
import { answerParent } from "../worker-process";
import { openToolStatements } from "./tool-statements";
import type { ToolStatementsSetup } from "./tool-statements";

/** `contentDir`: with the documents to search; `dataDir`: for their index and the database. */
export type SdkSetup = Omit<ToolStatementsSetup, "databaseUrl"> & {
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[];
  contentDir: string;
  dataDir: string;
};

answerParent(startSdkServer);

/**
 * The official SDK's stateless handler with JSON answers, behind nothing but Node's own server: no limit, no checks. The
 * search is the same code over the same documents, and the tools about a key say the same to the database, so that what
 * differs is the way to them.
 */
async function startSdkServer({ tools, contentDir, dataDir, ...setup }: SdkSetup): Promise<{ port: number }> {
  const databaseUrl = pathToFileURL(path.join(dataDir, "tools.db")).href;
  const calls: Record<string, (input: unknown) => Promise<unknown>> = {
    ...(await openSearch({ contentDir, dataDir })),
    ...(await openToolStatements({ ...setup, databaseUrl })),
  };
  const schemas = tools.map((tool) => ({ ...tool, schema: fromJsonSchema(tool.inputSchema) }));
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "latchkey", version: "1" });
      for (const { name, description, schema } of schemas) {
        server.registerTool(name, { description, inputSchema: schema }, async (input) =>
          toResult(await calls[name]?.(input)),
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
  return { port: await listen(server, "127.0.0.1", 0) };
}

async function openSearch(folders: Pick<SdkSetup, "contentDir" | "dataDir">) {
  const store = createKnowledgeSearch({
    ...folders,
    embedder: null,
    defaultAudience: "holders",
    clock,
    log: { warn: (fields, message) => console.error(message, fields) },
  });
  await store.refresh();
  const tool = createSearchTool({ store, gatedNamespaces: [], requireHolder: () => Promise.resolve() });
  const { signal } = new AbortController();
  return {
    [tool.name]: (input: unknown) => tool.run({ input: tool.inputSchema.parse(input), caller: null, signal }),
  };
}

/** As ours answers: a text is text, anything else is structure too. A tool that only has a name does nothing. */
function toResult(output: unknown) {
  if (output === undefined) return { content: [] };
  if (typeof output === "string") return { content: [{ type: "text" as const, text: output }] };
  const text = JSON.stringify(output);
  return {
    content: [{ type: "text" as const, text }],
    structuredContent: output as Record<string, unknown>,
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
