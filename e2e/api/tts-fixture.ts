import { request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { startSpeechServer } from "~e2e/support/providers/speech-server";
import type { SpeechBehaviour, SpeechServer } from "~e2e/support/providers/speech-server";
import { startChatServer } from "./chat-fixture";
import type { Gate } from "./gate-fixture";

/** Turns off a limit that would disturb other tests. */
export const speechLimitOff = { RATE_LIMIT_TTS: "0" };

/** A provider that ends with the test. */
export async function startSpeaker(
  ...behaviours: [SpeechBehaviour, ...SpeechBehaviour[]]
): Promise<SpeechServer> {
  const speaker = await startSpeechServer(...behaviours);
  onTestFinished(speaker.close);
  return speaker;
}

export function localSpeaker({ baseUrl }: Pick<SpeechServer, "baseUrl">) {
  return { TTS_PROVIDER: "local", TTS_BASE_URL: baseUrl };
}

type StartSpeechGateOptions = {
  gate: Pick<Gate, "chain" | "contract">;
  env: Record<string, string | undefined>;
  dataDir?: string;
  nodeOptions?: readonly string[];
};

/** Another server on the gate's chain. It ends with the test. */
export async function startSpeechGate({ gate, env, ...rest }: StartSpeechGateOptions) {
  return await startChatServer({ gate, env: { ...speechLimitOff, ...env }, ...rest });
}

export type SpeechQuestion = {
  port: number;
  json?: unknown;
  headers?: Record<string, string>;
  path?: string;
};

/** A request on its own connection. Destroying it means leaving. */
export function sendSpeech({
  port,
  json = { text: "Hello there." },
  headers = {},
  path = "/api/tts",
}: SpeechQuestion): ClientRequest {
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    agent: false,
    headers: { "Content-Type": "application/json", ...headers },
  });
  outgoing.on("error", () => undefined);
  outgoing.end(JSON.stringify(json));
  return outgoing;
}

/** The same, up to the response's headers. The body is unread. */
export async function openSpeech(question: SpeechQuestion) {
  const outgoing = sendSpeech(question);
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
  });
  incoming.on("error", () => undefined);
  return { outgoing, incoming, status: incoming.statusCode, headers: incoming.headers };
}

/** The received bytes, and whether the response is complete. */
export async function readAudio(incoming: IncomingMessage): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve) => incoming.once("close", resolve));
  return { bytes: Buffer.concat(chunks), isWhole: incoming.complete };
}

export async function speak(question: SpeechQuestion) {
  const { incoming, status, headers } = await openSpeech(question);
  const { bytes, isWhole } = await readAudio(incoming);
  const isJson = String(headers["content-type"]).startsWith("application/json");
  const body = isJson ? (JSON.parse(bytes.toString("utf8")) as Record<string, unknown>) : null;
  return { status, headers, bytes, isWhole, body };
}
