import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import type { ModelMessage } from "ai";
import { listen } from "~/platform/http/connection/http-server.server";
import { servePeer } from "../peer-process";

export type AiSdkSetup = { baseUrl: string };

/** The AI SDK's own path from a model to a browser on Node's HTTP server, without sign-in or quota. */
servePeer(async ({ baseUrl }: AiSdkSetup) => {
  const provider = createOpenAICompatible({ name: "local", baseURL: baseUrl, apiKey: "sk-test-key" });
  const server = createServer((request, response) => {
    void (async () => {
      const { messages } = (await json(request)) as { messages: ModelMessage[] };
      streamText({ model: provider.chatModel("m"), messages }).pipeUIMessageStreamToResponse(response);
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return await listen(server, "127.0.0.1", 0);
});
