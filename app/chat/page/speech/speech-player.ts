import { createSpeechPieces } from "~/speech/speech-pieces";
import { noticeForFailure } from "../chat-notice";
import type { ChatNotice } from "../chat-notice";
import { SpeechRefusedError } from "./fetch-speech";
import { createSpeechLoads } from "./speech-loads";
import type { SpeechLoads } from "./speech-loads";

export type SpeechState = {
  /** The message that is being read, null while none is. */
  messageId: string | null;
  /** `held`: something stands in the way, which `notice` tells; the place is kept. */
  status: "waiting" | "playing" | "paused" | "held";
  /** The piece that is being read, counted from 0, of those known so far. */
  at: number;
  count: number;
  notice: ChatNotice | null;
  /** False once the server has said that it reads nothing aloud. */
  isOffered: boolean;
};

export const silence: SpeechState = {
  messageId: null,
  status: "waiting",
  at: 0,
  count: 0,
  notice: null,
  isOffered: true,
};

/** A slider that has rested for so long has been let go of, or is where its reader wants it. */
const seekRestMs = 200;

/** From these the reading can go on where it stopped; the others end it. */
const passingKinds = new Set<ChatNotice["kind"]>(["wait", "again", "offline", "skip"]);

type Reading = {
  messageId: string;
  loads: SpeechLoads;
  cutter: ReturnType<typeof createSpeechPieces>;
  takenChars: number;
  isComplete: boolean;
};

/** Reads messages aloud piece by piece, so that the first words sound while the last are still being written. */
export function createSpeechPlayer(onChange: (state: SpeechState) => void) {
  let state = silence;
  let reading: Reading | null = null;
  let player: HTMLAudioElement | null = null;
  /** Counts what has been begun or ended: an older beginning that comes late has nothing to say any more. */
  let turn = 0;
  /** Runs while a place is being chosen: nothing is asked for until it has been. */
  let seekTimer: number | undefined;

  function set(change: Partial<SpeechState>): void {
    state = { ...state, ...change };
    onChange(state);
  }

  async function play(at: number): Promise<void> {
    const mine = ++turn;
    const current = reading;
    if (!current) return;
    const coming = current.loads.get(at);
    if (!coming) {
      if (current.isComplete) stop();
      else set({ at, status: "waiting" });
      return;
    }
    set({ at, status: "waiting", count: current.loads.count() });
    current.loads.prepare(at + 1);
    try {
      const audio = await coming;
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
    const isSwitchedOff = error instanceof SpeechRefusedError && error.isSwitchedOff;
    const notice =
      error instanceof SpeechRefusedError
        ? error.notice
        : noticeForFailure({ activity: "reading", isOnline: navigator.onLine });
    if (isSwitchedOff || !passingKinds.has(notice.kind)) {
      stop();
      set({ notice, isOffered: state.isOffered && !isSwitchedOff });
      return;
    }
    turn += 1;
    forgetSound();
    reading?.loads.keepOnly({ at: null });
    set({ status: "held", notice });
  }

  /** What was half heard begins anew when it is played next. */
  function forgetSound(): void {
    silencePlayer();
    player?.removeAttribute("src");
  }

  function stop(): void {
    turn += 1;
    window.clearTimeout(seekTimer);
    seekTimer = undefined;
    reading?.loads.keepOnly({ at: null });
    reading = null;
    forgetSound();
    set({ ...silence, isOffered: state.isOffered });
  }

  function settleSeek(): void {
    seekTimer = undefined;
    reading?.loads.keepOnly({ at: state.at });
    // Whoever has paused hears the place when they go on.
    if (state.status !== "paused") void play(state.at);
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
    const wasDry = state.at >= reading.loads.count();
    reading.loads.add(fresh);
    set({ count: reading.loads.count() });
    if (state.status === "paused" || state.status === "held" || seekTimer !== undefined) return;
    if (wasDry) void play(state.at);
    // The one that plays began when nothing was known to come after it.
    else reading.loads.prepare(state.at + 1);
  }

  return {
    feed,
    stop,
    start(message: { messageId: string; text: string; isComplete: boolean }): void {
      stop();
      reading = {
        messageId: message.messageId,
        isComplete: false,
        takenChars: 0,
        cutter: createSpeechPieces(),
        loads: createSpeechLoads(message),
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
      window.clearTimeout(seekTimer);
      seekTimer = undefined;
      // What was already sounding goes on where it was; what was still on its way begins.
      const isHalfRead = player && player.src !== "" && player.currentTime > 0 && !player.ended;
      if (!isHalfRead) return void play(state.at);
      set({ status: "playing" });
      const mine = ++turn;
      player!.play().catch((error: unknown) => {
        if (mine === turn) fail(error);
      });
    },
    /** Shows the place at once and asks for it when no other follows: a drag passes many. */
    seek(at: number): void {
      if (!reading) return;
      turn += 1;
      forgetSound();
      const place = Math.min(Math.max(0, at), reading.loads.count() - 1);
      set({ at: place, status: state.status === "paused" ? "paused" : "waiting" });
      window.clearTimeout(seekTimer);
      seekTimer = window.setTimeout(settleSeek, seekRestMs);
    },
    /** After a refusal: the piece that was refused, or the one after it where it never will be heard. */
    readOn(): void {
      if (state.status !== "held" || !state.notice) return;
      const at = state.notice.kind === "skip" ? state.at + 1 : state.at;
      set({ notice: null });
      void play(at);
    },
  };
}
