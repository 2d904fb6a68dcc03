import { staysSilent, startBehavingServer } from "./behaving-server";
import type { ReceivedCall } from "./behaving-server";

export type CompletionCall = ReceivedCall<CompletionBody> & {
  authorization: string | undefined;
  /** One event with this delta. */
  delta: (delta: unknown, finishReason?: string) => Promise<void>;
  text: (text: string) => Promise<void>;
  /** `finish_reason`, the end mark, the end. */
  finish: (reason?: string) => Promise<void>;
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
export type OpenAiServer = Awaited<ReturnType<typeof startOpenAiServer>>;

/** Speaks OpenAI's streaming chat completions. */
export function startOpenAiServer(...behaviours: [Behaviour, ...Behaviour[]]) {
  return startBehavingServer<CompletionBody, CompletionCall>({
    behaviours,
    contentType: "text/event-stream",
    addTo: (call) => {
      const delta = (part: unknown, finishReason?: string) => call.send(toFrame(part, finishReason));
      return {
        ...call,
        authorization: call.headers.authorization,
        delta,
        text: (text) => delta({ content: text }),
        finish: async (reason = "stop") => {
          await delta({}, reason);
          await call.send("data: [DONE]\n\n");
          call.response.end();
        },
      };
    },
  });
}

/** One event of the stream, as the real server writes it. */
export function toFrame(delta: unknown, finishReason?: string): string {
  const choice = { index: 0, delta, finish_reason: finishReason ?? null };
  return `data: ${JSON.stringify({ id: "cmpl-1", object: "chat.completion.chunk", choices: [choice] })}\n\n`;
}

/** Sends these pieces and ends properly. */
export function saying(...pieces: string[]): Behaviour {
  return async (call) => {
    await call.delta({ role: "assistant", content: "" });
    for (const piece of pieces) await call.text(piece);
    await call.finish();
  };
}

/** Requests tools with arguments in fragments and calls interleaved, as the hosted API may. */
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

/** A JSON response with this status. Default body: an API error. */
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

/** Never ends, and ignores any limit. */
export function talkingForever(piece = "on and on "): Behaviour {
  return async (call) => {
    while (!call.isClosed()) {
      await call.text(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
}

/** Sends `words` words at this rate: paragraphs and pieces of code in turn. */
export function sayingAtPace({ words, perSecond }: { words: number; perSecond: number }): Behaviour {
  return async (call) => {
    const beganAtMs = performance.now();
    for (let said = 0; said < words && !call.isClosed();) {
      const due = Math.min(words, Math.ceil(((performance.now() - beganAtMs) / 1000) * perSecond));
      for (; said < due; said += 1) {
        const isCode = said % 300 >= 150;
        if (said % 300 === 150) await call.text("\n\n```ts\n");
        if (said % 300 === 0 && said > 0) await call.text("\n```\n\n");
        await call.text(
          isCode && said % 6 === 5 ? `value${said};\n` : `word${said}${said % 40 === 39 ? ".\n\n" : " "}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await call.finish();
  };
}

/** Sends these pieces, then nothing on an open connection. */
export function fallingSilentAfter(...pieces: string[]): Behaviour {
  return async (call) => {
    for (const piece of pieces) await call.text(piece);
    await call.closed;
  };
}

/** Accepts the request and never responds. */
export const neverAnswering: Behaviour = staysSilent;
