import { readRefusal } from "../conversation/chat-api";

type Load = { audio: Promise<Blob>; abort: AbortController; outcome: "pending" | "loaded" | "failed" };

/** The pieces of one message and their sound, each requested once. */
export class SpeechLoader {
  private readonly pieces: { text: string; load: Load | null }[] = [];

  constructor(private readonly messageId: string) {}

  get count(): number {
    return this.pieces.length;
  }

  add(texts: readonly string[]): void {
    this.pieces.push(...texts.map((text) => ({ text, load: null })));
  }

  /** Loads a piece ahead. A failed one is requested again by `get` only. */
  prepare(at: number): Promise<Blob> | null {
    const piece = this.pieces[at];
    if (!piece) return null;
    if (piece.load) return piece.load.audio;
    const abort = new AbortController();
    const audio = fetchSpeech(piece.text, `${this.messageId}:${at}`, abort.signal);
    const load: Load = { audio, abort, outcome: "pending" };
    piece.load = load;
    // Failures are reported when the piece is played.
    audio.then(
      () => (load.outcome = "loaded"),
      () => (load.outcome = "failed"),
    );
    return audio;
  }

  /** For playing now. Null for an unknown piece. */
  get(at: number): Promise<Blob> | null {
    const piece = this.pieces[at];
    if (piece?.load?.outcome === "failed") piece.load = null;
    return this.prepare(at);
  }

  abort(): void {
    for (const piece of this.pieces) {
      if (piece.load?.outcome !== "pending") continue;
      piece.load.abort.abort();
      piece.load = null;
    }
  }
}

async function fetchSpeech(text: string, messageId: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch("/api/tts", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "audio/*, application/json" },
    body: JSON.stringify({ text, messageId }),
    credentials: "same-origin",
    signal,
  });
  if (response.ok) return response.blob();
  throw await readRefusal(response, "reading");
}
