import { noticeForRefused, readRefused } from "~/platform/refusals/notice";
import type { NoticeText } from "~/platform/refusals/notice";
import { findJson } from "~/platform/text/json";
import type { ReferenceOperation } from "./read-reference";
import { buildRequest } from "./request";
import type { RequestValues } from "./request";

export type TryAnswer = {
  phase: "receiving" | "done" | "broken";
  status: number;
  durationMs: number;
  contentType: string;
  headers: [name: string, value: string][];
  /** The body as text; empty where it is sound or a picture. */
  text: string;
  media: Blob | null;
};

type Try = { operation: ReferenceOperation; values: RequestValues; signal: AbortSignal };

// The browser adds the session's cookie; no script can read it, and the gate refuses it from pages of other sites.
export async function* sendTry({ operation, values, signal }: Try): AsyncGenerator<TryAnswer> {
  const beganAtMs = performance.now();
  const { method, path, headers, body } = buildRequest(operation, values);
  if (body !== undefined) headers.push(["Content-Type", "application/json"]);
  if (values.as === "secret") headers.push(["Authorization", `Bearer ${values.secret.trim()}`]);
  const credentials = values.as === "nobody" ? "omit" : "same-origin";
  const response = await fetch(path, { method, headers, body, credentials, cache: "no-store", signal });
  const contentType = response.headers.get("Content-Type") ?? "";
  const answer: TryAnswer = {
    phase: "receiving",
    status: response.status,
    durationMs: 0,
    contentType,
    headers: [...response.headers],
    text: "",
    media: null,
  };
  yield answer;
  const media = response.ok && /^(audio|image)\//.test(contentType) ? await response.blob() : null;

  let phase: TryAnswer["phase"] = "done";
  let text = "";
  try {
    const reader = media ? null : response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      text += part.value;
      if (contentType.startsWith("text/event-stream")) yield { ...answer, text };
    }
  } catch {
    // Stopped by the visitor, or the connection broke: what came so far stays.
    phase = "broken";
  }
  const durationMs = performance.now() - beganAtMs;
  yield { ...answer, phase, durationMs, text: indentJson(text), media };
}

function indentJson(text: string): string {
  const json = findJson(text);
  return json === undefined ? text : JSON.stringify(json, null, 2);
}

export function readRefusal({ status, phase, headers, text }: TryAnswer): NoticeText | null {
  if (status < 400 || phase === "receiving") return null;
  return noticeForRefused(readRefused({ status, headers: new Headers(headers), body: findJson(text) }), {});
}
