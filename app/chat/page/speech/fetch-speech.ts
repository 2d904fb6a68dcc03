import { readRefusal } from "../conversation/chat-api";
import type { ChatNotice } from "../chat-notice";

export class SpeechRefusedError extends Error {
  override readonly name = "SpeechRefusedError";
  readonly notice: ChatNotice;
  readonly isSwitchedOff: boolean;

  constructor({ notice, isSwitchedOff }: { notice: ChatNotice; isSwitchedOff: boolean }) {
    super(notice.title);
    this.notice = notice;
    this.isSwitchedOff = isSwitchedOff;
  }
}

export async function fetchSpeech(text: string, messageId: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch("/api/tts", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "audio/*, application/json" },
    body: JSON.stringify({ text, messageId }),
    credentials: "same-origin",
    signal,
  });
  if (response.ok) return response.blob();
  const { status } = response;
  // 503 without a time to come back says that speech is switched off, 404 that this server has none.
  const isSwitchedOff = status === 404 || (status === 503 && !response.headers.has("Retry-After"));
  const notice = await readRefusal(response, "reading");
  throw new SpeechRefusedError({ notice, isSwitchedOff });
}
