import { fillPath, listGiven } from "./reference";
import type { ReferenceOperation, RequestValues } from "./reference";

export type TryAnswer = {
  phase: "receiving" | "done" | "broken";
  status: number;
  durationMs: number;
  contentType: string;
  headers: [name: string, value: string][];
  /** The body as text; empty where it is sound or a picture. */
  text: string;
  isCut: boolean;
  /** Sound or a picture, to play or show. */
  media: Blob | null;
};

/** More than this is of no use on a page, and slows it down. */
const shownChars = 100_000;

type SendTryOptions = {
  operation: ReferenceOperation;
  values: RequestValues;
  secret: string;
  signal: AbortSignal;
  onChange: (answer: TryAnswer) => void;
};

/**
 * Sends one call from the page to the gate it came from. The session's cookie is added by the browser where it
 * counts; no script can read it, and the gate refuses it from pages of other sites.
 */
export async function sendTry({
  operation,
  values,
  secret,
  signal,
  onChange,
}: SendTryOptions): Promise<void> {
  const beganAtMs = performance.now();
  const response = await fetch(fillPath(operation, values), {
    method: operation.method,
    headers: requestHeaders(operation, values, secret),
    body: hasBody(operation, values) ? values.body : undefined,
    credentials: values.as === "nobody" ? "omit" : "same-origin",
    cache: "no-store",
    signal,
  });
  const contentType = response.headers.get("Content-Type") ?? "";
  const isMedia = response.ok && /^(audio|image)\//.test(contentType);
  const isStream = contentType.startsWith("text/event-stream");
  const answer: TryAnswer = {
    phase: "receiving",
    status: response.status,
    durationMs: performance.now() - beganAtMs,
    contentType,
    headers: [...response.headers],
    text: "",
    isCut: false,
    media: null,
  };
  onChange(answer);
  const end = (ended: Partial<TryAnswer>) =>
    onChange({ ...answer, phase: "done", durationMs: performance.now() - beganAtMs, ...ended });
  if (isMedia) return end({ media: await response.blob() });

  let text = "";
  try {
    for await (const piece of readText(response)) {
      text += piece;
      if (isStream) onChange({ ...answer, ...cut(text) });
    }
  } catch {
    // Stopped by the visitor, or the connection broke: what came so far stays.
    return end({ phase: "broken", ...cut(text) });
  }
  end(cut(isStream ? text : indentJson(text)));
}

function hasBody(operation: ReferenceOperation, values: RequestValues): boolean {
  return operation.body !== null && values.body.trim() !== "";
}

function requestHeaders(
  operation: ReferenceOperation,
  values: RequestValues,
  secret: string,
): [string, string][] {
  return [
    ...(hasBody(operation, values) ? [["Content-Type", "application/json"] satisfies [string, string]] : []),
    ...(values.as === "secret"
      ? [["Authorization", `Bearer ${secret.trim()}`] satisfies [string, string]]
      : []),
    ...listGiven(operation, values, "header").map(({ parameter, value }): [string, string] => [
      parameter.name,
      value,
    ]),
  ];
}

async function* readText(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    yield decoder.decode(part.value, { stream: true });
  }
  yield decoder.decode();
}

function cut(text: string): { text: string; isCut: boolean } {
  return { text: text.slice(0, shownChars), isCut: text.length > shownChars };
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
