import { useRef, useState } from "react";
import type { KeyboardEvent, SyntheticEvent } from "react";
import { hasAudioPart, missingSoundText } from "~/content/audio-part";
import type { AudioData } from "~/content/content.schema";
import { jumpTo, playerTime, spokenTime } from "./player-time";

type RoomAudioProps = {
  audio: AudioData;
  /** The links are signed for a short time; a player that fails most likely holds an old one. */
  onBroken: () => void;
};

const speeds = [0.75, 1, 1.25, 1.5, 2];
const jumpSeconds = 10;

export function RoomAudio({ audio, onBroken }: RoomAudioProps) {
  if (!hasAudioPart(audio)) return null;
  const { headline, imageSrc, imageAlt, description, title, audioSrc } = audio;
  return (
    <section className="latchkey-audio" aria-label={headline || title || "Audio"}>
      {imageSrc ? <img className="latchkey-audio-image" src={imageSrc} alt={imageAlt} /> : null}
      <div className="latchkey-audio-text">
        {headline ? <h2>{headline}</h2> : null}
        {title ? <p className="latchkey-audio-title">{title}</p> : null}
        {audio.error ? (
          <p>{missingSoundText}</p>
        ) : (
          <Player key={audioSrc} audioSrc={audioSrc} title={title || headline} onBroken={onBroken} />
        )}
        {/* The sound in words, for visitors who do not hear it. */}
        {description ? <p className="latchkey-audio-words">{description}</p> : null}
      </div>
    </section>
  );
}

type PlayerProps = { audioSrc: string; title: string; onBroken: () => void };

/** Every control is a plain button, slider or list, so that keyboards and screen readers know them already. */
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
    // Refused, for want of the file, it says so by its error.
    if (element?.paused) void element.play().catch(() => undefined);
    else element?.pause();
  }

  function jump(by: number) {
    const element = sound.current;
    if (element) element.currentTime = jumpTo({ at: element.currentTime, by, duration: element.duration });
  }

  function seek(toSeconds: number) {
    // At once: a slider put back to where the sound still is would ask for that place a moment later.
    setAtSeconds(toSeconds);
    if (sound.current) sound.current.currentTime = toSeconds;
  }

  /** The keys that players have everywhere, while the focus is in this one. */
  function press(event: KeyboardEvent) {
    // A list takes letters as a search of its own.
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
