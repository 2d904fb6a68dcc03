import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import type { ModelMessage } from "ai";
import { listen } from "~/platform/http/connection/http-server.server";
import { answerParent } from "../worker-process";

export type AiSdkOrder = { order: "start"; baseUrl: string } | { order: "memory" };
export type AiSdkAnswer = { port: number } | { heldBytes: number };

const collections = 4;

answerParent(obey);

async function obey(order: AiSdkOrder): Promise<AiSdkAnswer> {
  return order.order === "start" ? await startChat(order) : await readHeldBytes();
}

/** The AI SDK's own way from a model to a browser, on Node's own server: nobody is asked for anything, nothing counted. */
async function startChat({ baseUrl }: { baseUrl: string }): Promise<{ port: number }> {
  const provider = createOpenAICompatible({ name: "local", baseURL: baseUrl, apiKey: "sk-test-key" });
  const server = createServer((request, response) => {
    void (async () => {
      const { messages } = (await json(request)) as { messages: ModelMessage[] };
      streamText({ model: provider.chatModel("m"), messages }).pipeUIMessageStreamToResponse(response);
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return { port: await listen(server, "127.0.0.1", 0) };
}

/** What is held after collecting garbage, more than once: what a first collection lets go of may hold something. */
async function readHeldBytes(): Promise<{ heldBytes: number }> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("Without --expose-gc nobody can tell what is held.");
  for (let round = 0; round < collections; round += 1) {
    gc();
    await delay(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heldBytes: heapUsed + external };
}
