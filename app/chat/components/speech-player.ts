import { createSpeechPieces } from "~/speech/speech-pieces";
import { readRefusal } from "./chat-api";
import { noticeForFailure } from "./chat-notice";
import type { ChatNotice } from "./chat-notice";

export type SpeechState = {
  /** The message that is being read, null while none is. */
  messageId: string | null;
  status: "waiting" | "playing" | "paused";
  /** The piece that is being read, counted from 0, of those known so far. */
  at: number;
  count: number;
  notice: ChatNotice | null;
  /** False once the server has said that it reads nothing aloud. */
  isOffered: boolean;
};

export const silence: SpeechState = {
  ...{ messageId: null, status: "waiting", at: 0, count: 0, notice: null, isOffered: true },
};

type Piece = { text: string; audio: Promise<Blob> | null };
type Reading = {
  messageId: string;
  pieces: Piece[];
  cutter: ReturnType<typeof createSpeechPieces>;
  takenChars: number;
  isComplete: boolean;
  abort: AbortController;
};

/** Reads messages aloud piece by piece, so that the first words sound while the last are still being written. */
export function createSpeechPlayer({ onChange }: { onChange: (state: SpeechState) => void }) {
  let state = silence;
  let reading: Reading | null = null;
  let player: HTMLAudioElement | null = null;
  /** Counts what has been begun or ended: an older beginning that comes late has nothing to say any more. */
  let turn = 0;

  function set(change: Partial<SpeechState>): void {
    state = { ...state, ...change };
    onChange(state);
  }

  function load(at: number): void {
    const piece = reading?.pieces[at];
    if (!piece || !reading) return;
    const { messageId, abort } = reading;
    const part = { text: piece.text, messageId: `${messageId}:${at}`, signal: abort.signal };
    piece.audio ??= fetchSpeech(part);
    // Whoever plays it sees the failure; until then it is nobody's.
    piece.audio.catch(() => undefined);
  }

  async function play(at: number): Promise<void> {
    const mine = ++turn;
    const current = reading;
    const piece = current?.pieces[at];
    if (!current) return;
    if (!piece) {
      if (current.isComplete) stop();
      else set({ at, status: "waiting" });
      return;
    }
    set({ at, status: "waiting", count: current.pieces.length });
    load(at);
    load(at + 1);
    try {
      const audio = await piece.audio!;
      if (mine !== turn) return;
      await sound(audio, () => void play(at + 1));
      if (mine === turn) set({ status: "playing" });
    } catch (error) {
      if (mine === turn) fail(error);
    }
  }

  async function sound(audio: Blob, onEnd: () => void): Promise<void> {
    player ??= new Audio();
    silencePlayer();
    player.src = URL.createObjectURL(audio);
    player.onended = onEnd;
    await player.play();
  }

  function silencePlayer(): void {
    if (!player) return;
    player.onended = null;
    player.pause();
    if (player.src) URL.revokeObjectURL(player.src);
  }

  function fail(error: unknown): void {
    const isOffered = !(error instanceof SpeechRefusedError && error.isSwitchedOff);
    const notice =
      error instanceof SpeechRefusedError ? error.notice : noticeForFailure({ isOnline: navigator.onLine });
    stop();
    set({ notice, isOffered });
  }

  function stop(): void {
    turn += 1;
    reading?.abort.abort();
    reading = null;
    silencePlayer();
    set({ ...silence, isOffered: state.isOffered });
  }

  /** More of the message that is being read. */
  function feed({
    messageId,
    text,
    isComplete,
  }: {
    messageId: string;
    text: string;
    isComplete: boolean;
  }): void {
    if (reading?.messageId !== messageId || reading.isComplete) return;
    reading.isComplete = isComplete;
    const fresh = reading.cutter.push(text.slice(reading.takenChars));
    reading.takenChars = text.length;
    if (isComplete) fresh.push(...reading.cutter.flush());
    if (fresh.length === 0 && !isComplete) return;
    const wasDry = state.at >= reading.pieces.length;
    reading.pieces.push(...fresh.map((piece) => ({ text: piece, audio: null })));
    set({ count: reading.pieces.length });
    if (state.status === "paused") return;
    if (wasDry) void play(state.at);
    // The one that plays began when nothing was known to come after it.
    else load(state.at + 1);
  }

  return {
    feed,
    stop,
    start(message: { messageId: string; text: string; isComplete: boolean }): void {
      stop();
      reading = {
        ...{ messageId: message.messageId, pieces: [], isComplete: false, takenChars: 0 },
        ...{ cutter: createSpeechPieces(), abort: new AbortController() },
      };
      set({ messageId: message.messageId, notice: null });
      feed(message);
    },
    pause(): void {
      turn += 1;
      player?.pause();
      set({ status: "paused" });
    },
    resume(): void {
      // What was already sounding goes on where it was; what was still on its way begins.
      const isHalfRead = player && player.src !== "" && player.currentTime > 0 && !player.ended;
      if (!isHalfRead) return void play(state.at);
      set({ status: "playing" });
      const mine = ++turn;
      player!.play().catch((error: unknown) => {
        if (mine === turn) fail(error);
      });
    },
    seek(at: number): void {
      if (!reading) return;
      silencePlayer();
      if (player) player.removeAttribute("src");
      void play(Math.min(Math.max(0, at), reading.pieces.length - 1));
    },
  };
}

class SpeechRefusedError extends Error {
  override readonly name = "SpeechRefusedError";
  readonly notice: ChatNotice;
  readonly isSwitchedOff: boolean;

  constructor({ notice, isSwitchedOff }: { notice: ChatNotice; isSwitchedOff: boolean }) {
    super(notice.title);
    this.notice = notice;
    this.isSwitchedOff = isSwitchedOff;
  }
}

async function fetchSpeech({
  text,
  messageId,
  signal,
}: {
  text: string;
  messageId: string;
  signal: AbortSignal;
}): Promise<Blob> {
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
  throw new SpeechRefusedError({ notice: await readRefusal(response), isSwitchedOff });
}
