import type { AudioData } from "~/content/content.schema";

type RoomAudioProps = {
  audio: AudioData;
  /** The links are signed for a short time; a player that fails most likely holds an old one. */
  onBroken: () => void;
};

export function RoomAudio({ audio, onBroken }: RoomAudioProps) {
  if (audio.error) return null;
  const { headline, imageSrc, imageAlt, description, title, audioSrc } = audio;
  return (
    <section className="latchkey-audio" aria-label={headline || title || "Audio"}>
      {imageSrc ? <img className="latchkey-audio-image" src={imageSrc} alt={imageAlt} /> : null}
      <div className="latchkey-audio-text">
        {headline ? <h2>{headline}</h2> : null}
        {description ? <p>{description}</p> : null}
        {/* The description stands beside it in words; an operator's sound comes without a caption track. */}
        {/* eslint-disable-next-line jsx-a11y/media-has-caption */}
        <audio controls preload="metadata" src={audioSrc} title={title || undefined} onError={onBroken} />
        {title ? <p className="latchkey-audio-title">{title}</p> : null}
      </div>
    </section>
  );
}
