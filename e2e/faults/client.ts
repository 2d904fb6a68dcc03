import { Agent, request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";

/** A request's ending, as its client saw it. */
export type Exchange = {
  question: Question;
  /**
   * `unreached`: nobody listened, so nothing happened. `cut`: the connection ended before the response, and the effect
   * is unknown. `hung`: no end within the limit.
   */
  ended: "answered" | "unreached" | "cut" | "hung";
  /** 0 unless answered. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  startedAtMs: number;
  endedAtMs: number;
};

export type Question = {
  path: string;
  method?: string;
  json?: unknown;
  headers?: Record<string, string>;
};

export type Client = ReturnType<typeof createClient>;

type CreateClientOptions = {
  port: number;
  timeoutMs: number;
  /** How long an idle connection is kept: shorter than on the server, so none closes under a request. */
  idleMs?: number;
  onExchange: (exchange: Exchange) => void;
};

/** A client that distinguishes every ending. Times are monotonic. */
export function createClient({ port, timeoutMs, idleMs, onExchange }: CreateClientOptions) {
  const agent = new Agent({ keepAlive: true, timeout: idleMs });
  const state: { inFlight: number; abandonedFor: Error | null } = { inFlight: 0, abandonedFor: null };

  async function ask(question: Question): Promise<Exchange> {
    if (state.abandonedFor) throw state.abandonedFor;
    const { path, method = "GET", json, headers = {} } = question;
    const startedAtMs = performance.now();
    const body = json === undefined ? undefined : JSON.stringify(json);
    const end = await new Promise<Pick<Exchange, "ended" | "status" | "headers" | "text">>((resolve) => {
      const broken = (ended: Exchange["ended"]) => resolve({ ended, status: 0, headers: {}, text: "" });
      const outgoing = request({
        host: "127.0.0.1",
        port,
        path,
        method,
        agent,
        headers: {
          host: `localhost:${port}`,
          ...(body !== undefined && {
            "content-type": "application/json",
            "content-length": String(Buffer.byteLength(body)),
          }),
          ...headers,
        },
      });
      const timer = setTimeout(() => {
        broken("hung");
        outgoing.destroy();
      }, timeoutMs);
      state.inFlight += 1;
      outgoing.once("close", () => {
        clearTimeout(timer);
        state.inFlight -= 1;
        broken("cut");
      });
      outgoing.on("error", (error: NodeJS.ErrnoException) =>
        broken(error.code === "ECONNREFUSED" ? "unreached" : "cut"),
      );
      outgoing.once("response", (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", () => broken("cut"));
        incoming.once("end", () =>
          resolve({
            ended: "answered",
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      });
      outgoing.end(body);
    });
    const exchange = { question, ...end, startedAtMs, endedAtMs: performance.now() };
    onExchange(exchange);
    return exchange;
  }

  return {
    ask,
    inFlight: () => state.inFlight,
    /** Later requests throw, which ends every loop. */
    abandon: (reason: Error) => void (state.abandonedFor = reason),
    /** Closes idle connections. The next request opens a new one. */
    close: () => agent.destroy(),
  };
}

/** Some responses aren't JSON or are empty. */
export function bodyOf({ text }: Pick<Exchange, "text">): Record<string, unknown> {
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
}
