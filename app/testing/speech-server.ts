import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request for speech as the server got it, and the means to answer it well or badly. */
export type SpeechCall = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  response: ServerResponse;
  /** Resolves once the bytes are accepted: at once, or after `drain`. Throws when the other side is gone. */
  send: (chunk: Uint8Array) => Promise<void>;
  bytesSent: () => number;
  closed: Promise<void>;
  isClosed: () => boolean;
};

export type SpeechBehaviour = (call: SpeechCall) => void | Promise<void>;

/**
 * A server on the loopback address that takes what OpenAI's and ElevenLabs' speech protocols send and does what it is
 * told, mischief included. Behaviours are used in turn; the last one stays.
 */
export async function startSpeechServer(...behaviours: [SpeechBehaviour, ...SpeechBehaviour[]]) {
  const calls: SpeechCall[] = [];
  const server = createServer((request, response) => void answer({ request, response }));

  async function answer({ request, response }: { request: IncomingMessage; response: ServerResponse }) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
    const call = createCall({ request, response, body });
    calls.push(call);
    const behave = behaviours[Math.min(calls.length, behaviours.length) - 1] as SpeechBehaviour;
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
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

export type SpeechServer = Awaited<ReturnType<typeof startSpeechServer>>;

function createCall({
  request,
  response,
  body,
}: {
  request: IncomingMessage;
  response: ServerResponse;
  body: Record<string, unknown>;
}): SpeechCall {
  let isClosed = false;
  let bytesSent = 0;
  const closed = once(response, "close").then(() => {
    isClosed = true;
  });
  return {
    path: request.url ?? "",
    headers: request.headers,
    body,
    response,
    send: async (chunk) => {
      if (isClosed) throw new Error("The other side is gone");
      if (!response.headersSent) response.writeHead(200, { "Content-Type": "audio/mpeg" });
      bytesSent += chunk.length;
      if (response.write(chunk)) return;
      await Promise.race([once(response, "drain"), closed]);
    },
    bytesSent: () => bytesSent,
    closed,
    isClosed: () => isClosed,
  };
}

/** Sends these bytes and ends properly. */
export function sounding(...chunks: Uint8Array[]): SpeechBehaviour {
  return async ({ send, response }) => {
    for (const chunk of chunks) await send(chunk);
    response.end();
  };
}

/** `count` chunks of 64 KiB, each filled with its own number. */
export function soundingLong({ count }: { count: number }): SpeechBehaviour {
  return async ({ send, response }) => {
    for (let index = 0; index < count; index += 1) await send(Buffer.alloc(65_536, index % 251));
    response.end();
  };
}

/** Sends these bytes and cuts the connection. */
export function breakingOffAfter(...chunks: Uint8Array[]): SpeechBehaviour {
  return async ({ send, response }) => {
    for (const chunk of chunks) await send(chunk);
    await new Promise((resolve) => setImmediate(resolve));
    response.destroy();
  };
}

/** An answer as it is. */
export function answeringSpeech({
  status,
  headers,
  text,
}: {
  status: number;
  headers: Record<string, string>;
  text: string;
}): SpeechBehaviour {
  return ({ response }) => void response.writeHead(status, headers).end(text);
}

/** Sends these bytes, then waits for `proceed`, then ends properly. */
export function pausingAfter({
  chunk,
  rest,
  proceed,
}: {
  chunk: Uint8Array;
  rest: Uint8Array;
  proceed: Promise<void>;
}) {
  const behaviour: SpeechBehaviour = async ({ send, response, closed }) => {
    await send(chunk);
    await Promise.race([proceed, closed]);
    await send(rest);
    response.end();
  };
  return behaviour;
}

export const neverSpeaking: SpeechBehaviour = ({ closed }) => closed;
