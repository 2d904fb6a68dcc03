import { fetchSpeech } from "./fetch-speech";

type Load = { audio: Promise<Blob>; abort: AbortController; outcome: "pending" | "loaded" | "failed" };
type Piece = { text: string; load: Load | null };

/** The pieces of one message and their sound, each asked for once: every request counts against the limits. */
export function createSpeechLoads({ messageId }: { messageId: string }) {
  const pieces: Piece[] = [];

  function load(at: number): Load | null {
    const piece = pieces[at];
    if (!piece) return null;
    if (piece.load) return piece.load;
    const abort = new AbortController();
    const audio = fetchSpeech(piece.text, `${messageId}:${at}`, abort.signal);
    const begun: Load = { audio, abort, outcome: "pending" };
    piece.load = begun;
    // Whoever plays it sees the failure; until then it is nobody's.
    audio.then(
      () => (begun.outcome = "loaded"),
      () => (begun.outcome = "failed"),
    );
    return begun;
  }

  return {
    count: () => pieces.length,
    add(texts: readonly string[]): void {
      pieces.push(...texts.map((text) => ({ text, load: null })));
    },
    /** To be heard soon. What failed is left so until it is needed: a limit may have room by then. */
    prepare: (at: number): void => void load(at),
    /** To be heard now; null for a piece that is not known. */
    get(at: number): Promise<Blob> | null {
      const piece = pieces[at];
      if (piece?.load?.outcome === "failed") piece.load = null;
      return load(at)?.audio ?? null;
    },
    /** Ends what is still on its way, but for the piece to be heard now and the one after it. */
    keepOnly({ at }: { at: number | null }): void {
      for (const [index, piece] of pieces.entries()) {
        if (piece.load?.outcome !== "pending" || (at !== null && (index === at || index === at + 1)))
          continue;
        piece.load.abort.abort();
        piece.load = null;
      }
    },
  };
}

export type SpeechLoads = ReturnType<typeof createSpeechLoads>;
