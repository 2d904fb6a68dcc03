import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the server got it, and the means to answer it well or badly. */
export type CompletionCall = {
  /** 1 for the first request of this server. */
  number: number;
  authorization: string | undefined;
  path: string | undefined;
  body: CompletionBody;
  response: ServerResponse;
  /** Sends the headers of a proper stream. */
  start: () => void;
  /** Resolves once the bytes are accepted: at once, or after `drain`. */
  send: (chunk: string | Uint8Array) => Promise<void>;
  /** One event with this delta. */
  delta: (delta: unknown, finishReason?: string) => Promise<void>;
  text: (text: string) => Promise<void>;
  /** `finish_reason`, the end mark, the end. */
  finish: (reason?: string) => Promise<void>;
  /** Resolves when the other side or this one has closed the connection. */
  closed: Promise<void>;
  isClosed: () => boolean;
};

export type CompletionBody = {
  model: string;
  stream: boolean;
  max_tokens?: number;
  max_completion_tokens?: number;
  messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { type: string; function: { name: string; description: string; parameters: unknown } }[];
};

export type Behaviour = (call: CompletionCall) => void | Promise<void>;

/**
 * A server that speaks OpenAI's streaming chat completions on the loopback address and does in each answer what
 * it is told, mischief included. Behaviours are used in turn; the last one stays.
 */
export async function startOpenAiServer(...behaviours: [Behaviour, ...Behaviour[]]) {
  const calls: CompletionCall[] = [];
  const server = createServer((request, response) => {
    void answer({ request, response });
  });

  async function answer({ request, response }: { request: IncomingMessage; response: ServerResponse }) {
    // What a readiness check asks for; it is no call for an answer.
    if (request.method === "GET") return void response.end('{"object":"list","data":[]}');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as CompletionBody;
    const call = createCall({ number: calls.length + 1, request, response, body });
    calls.push(call);
    const behave = behaviours[Math.min(calls.length, behaviours.length) - 1] as Behaviour;
    try {
      await behave(call);
    } catch (error) {
      if (!call.isClosed()) throw error;
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type OpenAiServer = Awaited<ReturnType<typeof startOpenAiServer>>;

function createCall({
  number,
  request,
  response,
  body,
}: {
  number: number;
  request: IncomingMessage;
  response: ServerResponse;
  body: CompletionBody;
}): CompletionCall {
  let isClosed = false;
  const closed = once(response, "close").then(() => {
    isClosed = true;
  });
  async function send(chunk: string | Uint8Array): Promise<void> {
    if (isClosed) throw new Error("The other side is gone");
    if (response.write(chunk)) return;
    await Promise.race([once(response, "drain"), closed]);
  }
  const call: CompletionCall = {
    number,
    authorization: request.headers.authorization,
    path: request.url,
    body,
    response,
    start: () => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
    },
    send: async (chunk) => {
      if (!response.headersSent) call.start();
      await send(chunk);
    },
    delta: (delta, finishReason) => call.send(toFrame({ delta, finishReason })),
    text: (text) => call.delta({ content: text }),
    finish: async (reason = "stop") => {
      await call.delta({}, reason);
      await call.send("data: [DONE]\n\n");
      response.end();
    },
    closed,
    isClosed: () => isClosed,
  };
  return call;
}

/** One event of the stream, as its server would write it. */
export function toFrame({ delta, finishReason }: { delta: unknown; finishReason?: string }): string {
  const choice = { index: 0, delta, finish_reason: finishReason ?? null };
  return `data: ${JSON.stringify({ id: "cmpl-1", object: "chat.completion.chunk", choices: [choice] })}\n\n`;
}

/** Says these pieces and ends properly. */
export function saying(...pieces: string[]): Behaviour {
  return async (call) => {
    await call.delta({ role: "assistant", content: "" });
    for (const piece of pieces) await call.text(piece);
    await call.finish();
  };
}

/** Asks for tools, their arguments in fragments, all calls interleaved as the hosted API may send them. */
export function callingTools(...asked: { id: string; name: string; fragments: string[] }[]): Behaviour {
  return async (call) => {
    for (const [index, { id, name }] of asked.entries()) {
      await call.delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    }
    const longest = Math.max(...asked.map(({ fragments }) => fragments.length));
    for (let at = 0; at < longest; at += 1) {
      for (const [index, { fragments }] of asked.entries()) {
        if (fragments[at] === undefined) continue;
        await call.delta({ tool_calls: [{ index, function: { arguments: fragments[at] } }] });
      }
    }
    await call.finish("tool_calls");
  };
}

/** A JSON answer with this status, in the shape of an API's error unless a body is given. */
export function refusing({
  status,
  message = "refused",
  headers = {},
}: {
  status: number;
  message?: string;
  headers?: Record<string, string>;
}): Behaviour {
  return ({ response }) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code: null } }));
  };
}

/** Never ends by itself, whatever limit it was given. */
export function talkingForever(piece = "on and on "): Behaviour {
  return async (call) => {
    while (!call.isClosed()) {
      await call.text(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
}

/** Says these pieces and then nothing more, with the connection open. */
export function fallingSilentAfter(...pieces: string[]): Behaviour {
  return async (call) => {
    for (const piece of pieces) await call.text(piece);
    await call.closed;
  };
}

/** Takes the request and never answers it. */
export const neverAnswering: Behaviour = (call) => call.closed;
