import { request } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { chatEventSchema } from "~/chat/reply/chat-events";
import type { ChatEvent } from "~/chat/reply/chat-events";

export type KeptEvent = { id: number; json: string; atMs: number };

export type KeptReader = {
  status: number;
  headers: IncomingHttpHeaders;
  replyId: string | null;
  /** In order of arrival. */
  events: KeptEvent[];
  /** Events that no reader may get: gaps, repetitions, unknown lines. */
  defects: string[];
  /** Whether the end mark has arrived. */
  isDone: () => boolean;
  /** Resolves when the connection is closed. */
  ended: Promise<void>;
  leave: () => void;
};

type Question = {
  port: number;
  path: string;
  method?: "GET" | "POST";
  json?: unknown;
  headers?: Record<string, string>;
  /** The last event the client has. */
  after?: number;
};

/** Reads a resumable reply on its own connection. Resolves with the headers, and rejects if none come. */
export async function openKeptStream(question: Question): Promise<KeptReader> {
  const { port, path, method = "GET", json, headers = {}, after } = question;
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path,
    method,
    agent: false,
    headers: {
      ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      ...(after === undefined ? {} : { "Last-Event-ID": String(after) }),
      ...headers,
    },
  });
  outgoing.end(json === undefined ? undefined : JSON.stringify(json));
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).on("error", reject);
  });
  const parser = createParser(after ?? 0);
  incoming.setEncoding("utf8").on("error", () => undefined);
  incoming.on("data", (text: string) => (incoming.statusCode === 200 ? parser.take(text) : undefined));
  const ended = new Promise<void>((resolve) => incoming.once("close", resolve));
  const replyId = incoming.headers["x-reply-id"];
  return {
    status: incoming.statusCode!,
    headers: incoming.headers,
    replyId: typeof replyId === "string" ? replyId : null,
    events: parser.events,
    defects: parser.defects,
    isDone: parser.isDone,
    ended,
    leave: () => void outgoing.destroy(),
  };
}

export const brokenOff = "The answer broke off: the server that wrote it has ended.";

function createParser(after: number) {
  const events: KeptEvent[] = [];
  const defects: string[] = [];
  let rest = "";
  let isDone = false;

  function takeBlock(block: string): void {
    if (block === ": keep-alive") return;
    if (isDone) return void defects.push(`after the end: ${block}`);
    if (block === "data: [DONE]") return void (isDone = true);
    const [, id, json] = /^id: (\d+)\ndata: (\{.*\})$/.exec(block) ?? [];
    if (json === undefined) return void defects.push(`no event: ${block}`);
    const isNext = Number(id) === (events.at(-1)?.id ?? after) + 1;
    // If the writer is lost, the reply's ending may have a lower number than events the reader has seen.
    if (!isNext && !json.includes(brokenOff)) defects.push(`${id} after ${events.at(-1)?.id ?? 0}`);
    if (!chatEventSchema.safeParse(JSON.parse(json)).success) defects.push(`not of the protocol: ${json}`);
    events.push({ id: Number(id), json, atMs: performance.now() });
  }

  return {
    events,
    defects,
    isDone: () => isDone,
    take(text: string): void {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop()!;
      blocks.forEach(takeBlock);
    },
  };
}

export function parseKept({ json }: KeptEvent): ChatEvent {
  return chatEventSchema.parse(JSON.parse(json));
}

export function keptText(events: readonly KeptEvent[]): string {
  return events
    .map(parseKept)
    .map((event) => (event.type === "text-delta" ? event.delta : ""))
    .join("");
}
