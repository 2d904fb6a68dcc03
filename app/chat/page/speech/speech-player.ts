import { createSpeechPieces } from "~/speech/speech-pieces";
import { noticeForFailure } from "../chat-notice";
import type { ChatNotice } from "../chat-notice";
import { RefusedError } from "../conversation/chat-api";
import { SpeechLoader } from "./speech-loader";

export const silence = {
  messageId: null as string | null,
  /** `held`: paused for the reason in `notice`. */
  status: "waiting" as "waiting" | "playing" | "paused" | "held",
  /** The current piece, from 0. */
  at: 0,
  notice: null as ChatNotice | null,
  /** False if the server has no speech. */
  isOffered: true,
};
type SpeechState = typeof silence;

/** Reading can resume after these. Others end it. */
const passingKinds = new Set<ChatNotice["kind"]>(["wait", "again", "offline", "skip"]);

type SpokenMessage = { messageId: string; text: string; isComplete: boolean };

/** Reads messages aloud piece by piece, while they are still growing. */
export class SpeechPlayer {
  private state = silence;
  private message = { messageId: "", takenChars: 0, isComplete: true };
  private cutter = createSpeechPieces();
  private loads: SpeechLoader | null = null;
  private audio: HTMLAudioElement | null = null;
  /** Incremented with each start and stop. Results of earlier turns are ignored. */
  private turn = 0;

  constructor(private readonly onChange: (state: SpeechState) => void) {}

  start(message: SpokenMessage): void {
    const { messageId } = message;
    this.stop();
    this.message = { messageId, takenChars: 0, isComplete: false };
    this.cutter = createSpeechPieces();
    this.loads = new SpeechLoader(messageId);
    this.set({ messageId, notice: null });
    this.feed(message);
  }

  feed({ messageId, text, isComplete }: SpokenMessage): void {
    const { loads, message, cutter } = this;
    if (!loads || message.messageId !== messageId || message.isComplete) return;
    const fresh = cutter.push(text.slice(message.takenChars));
    this.message = { messageId, takenChars: text.length, isComplete };
    if (isComplete) fresh.push(...cutter.flush());
    if (fresh.length === 0 && !isComplete) return;
    const { at, status } = this.state;
    const wasDry = at >= loads.count;
    loads.add(fresh);
    if (status === "paused" || status === "held") return;
    if (wasDry) void this.play(at);
    else void loads.prepare(at + 1);
  }

  readonly stop = (): void => {
    this.turn += 1;
    this.loads?.abort();
    this.loads = null;
    this.discardSound();
    this.set({ ...silence, isOffered: this.state.isOffered });
  };

  pause(): void {
    this.turn += 1;
    this.audio?.pause();
    this.set({ status: "paused" });
  }

  resume(): void {
    const { audio } = this;
    if (!audio || audio.src === "" || audio.currentTime === 0 || audio.ended) {
      return void this.play(this.state.at);
    }
    this.set({ status: "playing" });
    const turn = ++this.turn;
    audio.play().catch((error: unknown) => this.fail(error, turn));
  }

  /** After a refusal: the same piece, or the next one if a retry can't help. */
  readonly readOn = (): void => {
    const { status, notice, at } = this.state;
    if (status !== "held" || !notice) return;
    this.set({ notice: null });
    void this.play(notice.kind === "skip" ? at + 1 : at);
  };

  private set(change: Partial<SpeechState>): void {
    this.state = { ...this.state, ...change };
    this.onChange(this.state);
  }

  private async play(at: number): Promise<void> {
    const turn = ++this.turn;
    const { loads } = this;
    if (!loads) return;
    const coming = loads.get(at);
    if (!coming) {
      if (this.message.isComplete) this.stop();
      else this.set({ at, status: "waiting" });
      return;
    }
    this.set({ at, status: "waiting" });
    void loads.prepare(at + 1);
    try {
      const sound = await coming;
      if (turn !== this.turn) return;
      this.audio ??= new Audio();
      this.discardSound();
      this.audio.src = URL.createObjectURL(sound);
      this.audio.onended = () => void this.play(at + 1);
      await this.audio.play();
      if (turn === this.turn) this.set({ status: "playing" });
    } catch (error) {
      this.fail(error, turn);
    }
  }

  private fail(error: unknown, turn: number): void {
    if (turn !== this.turn) return;
    const isRefused = error instanceof RefusedError;
    const notice = isRefused
      ? error.notice
      : noticeForFailure({ activity: "reading", isOnline: navigator.onLine });
    const isSwitchedOff = isRefused && saysSwitchedOff(error.response);
    if (isSwitchedOff || !passingKinds.has(notice.kind)) {
      this.stop();
      this.set({ notice, isOffered: this.state.isOffered && !isSwitchedOff });
      return;
    }
    this.turn += 1;
    this.discardSound();
    this.loads?.abort();
    this.set({ status: "held", notice });
  }

  private discardSound(): void {
    if (!this.audio) return;
    this.audio.onended = null;
    this.audio.pause();
    if (this.audio.src) URL.revokeObjectURL(this.audio.src);
    this.audio.removeAttribute("src");
  }
}

/** 503 without Retry-After: speech is switched off. */
function saysSwitchedOff({ status, headers }: Response): boolean {
  return status === 404 || (status === 503 && !headers.has("Retry-After"));
}
