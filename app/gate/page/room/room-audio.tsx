import { useRef, useState } from "react";
import type { KeyboardEvent, SyntheticEvent } from "react";
import type { AudioData } from "~/content/content.schema";
import { AudioPart } from "./served-room";

type RoomAudioProps = {
  audio: AudioData;
  /** Its signed link has probably expired. */
  onBroken: () => void;
};

const speeds = [0.75, 1, 1.25, 1.5, 2];
const jumpSeconds = 10;

export function RoomAudio({ audio, onBroken }: RoomAudioProps) {
  const { audioSrc, title, headline } = audio;
  const player = <Player key={audioSrc} audioSrc={audioSrc} title={title || headline} onBroken={onBroken} />;
  return <AudioPart audio={audio} player={player} />;
}

type PlayerProps = { audioSrc: string; title: string; onBroken: () => void };

/** Native controls, for keyboards and screen readers. */
function Player({ audioSrc, title, onBroken }: PlayerProps) {
  const sound = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [atSeconds, setAtSeconds] = useState(0);
  const [duration, setDuration] = useState(NaN);
  const back = () => jump(-jumpSeconds);
  const forward = () => jump(jumpSeconds);
  const actsByKey: Record<string, () => void> = { k: toggle, j: back, l: forward };

  function toggle() {
    const element = sound.current;
    // A missing file is reported by the error event.
    if (element?.paused) void element.play().catch(() => undefined);
    else element?.pause();
  }

  function jump(by: number) {
    const element = sound.current;
    if (element) element.currentTime = jumpTo({ at: element.currentTime, by, duration: element.duration });
  }

  function seek(toSeconds: number) {
    // Moves the slider at once, or it would jump back.
    setAtSeconds(toSeconds);
    if (sound.current) sound.current.currentTime = toSeconds;
  }

  /** The usual keys of players. */
  function press(event: KeyboardEvent) {
    // A list uses letters to search.
    const isTaken =
      event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement;
    if (!isTaken) actsByKey[event.key.toLowerCase()]?.();
  }

  function showTime(event: SyntheticEvent<HTMLAudioElement>) {
    setAtSeconds(event.currentTarget.currentTime);
  }

  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- A second way to the buttons within.
    <div
      className="latchkey-player"
      role="group"
      aria-label={`Player: ${title || "the recording"}`}
      onKeyDown={press}
    >
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- An operator's sound has none; words beside it tell. */}
      <audio
        ref={sound}
        preload="metadata"
        src={audioSrc}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onSeeking={showTime}
        onTimeUpdate={showTime}
        onDurationChange={(event) => setDuration(event.currentTarget.duration)}
        onError={onBroken}
      />
      <button type="button" className="latchkey-play" aria-keyshortcuts="k" onClick={toggle}>
        <svg viewBox="0 0 20 20" width="20" height="20" fill="currentColor" aria-hidden="true">
          <path d={isPlaying ? "M5 4h3.5v12H5zM11.5 4H15v12h-3.5z" : "M6 3.5v13l10.5-6.5z"} />
        </svg>
        {isPlaying ? "Pause" : "Play"}
      </button>
      <button type="button" aria-label={`Back ${jumpSeconds} seconds`} aria-keyshortcuts="j" onClick={back}>
        −{jumpSeconds} s
      </button>
      <button
        type="button"
        aria-label={`Forward ${jumpSeconds} seconds`}
        aria-keyshortcuts="l"
        onClick={forward}
      >
        +{jumpSeconds} s
      </button>
      <Speed onChoose={(speed) => sound.current && (sound.current.playbackRate = speed)} />
      <Seek atSeconds={atSeconds} duration={duration} onSeek={seek} />
    </div>
  );
}

function Speed({ onChoose }: { onChoose: (speed: number) => void }) {
  return (
    <label className="latchkey-speed">
      <span>Speed</span>
      <select defaultValue={1} onChange={(event) => onChoose(Number(event.target.value))}>
        {speeds.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
    </label>
  );
}

type SeekProps = { atSeconds: number; duration: number; onSeek: (toSeconds: number) => void };

function Seek({ atSeconds, duration, onSeek }: SeekProps) {
  const isKnown = Number.isFinite(duration);
  const at = spokenTime(atSeconds);
  return (
    <div className="latchkey-seek">
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={isKnown ? `${at} of ${spokenTime(duration)}` : at}
        min={0}
        max={isKnown ? duration : 0}
        step={duration > 120 ? 5 : 0.5}
        value={Math.min(atSeconds, isKnown ? duration : 0)}
        disabled={!isKnown}
        onChange={(event) => onSeek(Number(event.target.value))}
      />
      <span className="latchkey-time" aria-hidden="true">
        {playerTime(atSeconds)} / {playerTime(duration)}
      </span>
    </div>
  );
}

/** `65.4` to `1:05`. */
export function playerTime(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "0:00";
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = String(rest).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

export function spokenTime(seconds: number): string {
  const whole = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0;
  const parts = [
    [Math.floor(whole / 3600), "hour"],
    [Math.floor(whole / 60) % 60, "minute"],
    [whole % 60, "second"],
  ] as const;
  const named = parts.filter(([value, unit]) => value > 0 || (unit === "second" && whole < 60));
  return named.map(([value, unit]) => `${value} ${unit}${value === 1 ? "" : "s"}`).join(" ");
}

/** The end is unknown until the sound has loaded. */
export function jumpTo({ at, by, duration }: { at: number; by: number; duration: number }): number {
  const end = Number.isFinite(duration) ? duration : Number.MAX_SAFE_INTEGER;
  return Math.min(Math.max(0, at + by), end);
}
