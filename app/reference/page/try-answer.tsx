import { useEffect, useRef } from "react";
import type { ReferenceOperation } from "../reference";
import { readRefusal } from "../refusal-notice";
import type { TryAnswer } from "../try-request";

/** What came back: words as they come, sound to play, a refusal with its page. */
export function TryAnswerView({ answer, operation }: { answer: TryAnswer; operation: ReferenceOperation }) {
  const refusal = readRefusal({ answer, operation });
  return (
    <div className="try-answer">
      {refusal ? (
        <div className="notice notice-problem">
          <p className="notice-title">{refusal.title}</p>
          {refusal.detail ? <p>{refusal.detail}</p> : null}
          {refusal.retryAfter ? <p>Wait {refusal.retryAfter} seconds before the next attempt.</p> : null}
          <p>
            <a href={refusal.page}>What this means and what to do</a>
          </p>
        </div>
      ) : null}
      {answer.media ? <MediaView media={answer.media} contentType={answer.contentType} /> : null}
      {answer.said !== null ? (
        <div className="said" data-said>
          <p className="notice-title">What it says</p>
          <p className="said-words">{answer.said === "" ? "Nothing yet." : answer.said}</p>
        </div>
      ) : null}
      {answer.text === "" ? null : answer.said === null ? (
        <BodyText answer={answer} />
      ) : (
        <details className="fold">
          <summary>The events as they came</summary>
          <BodyText answer={answer} />
        </details>
      )}
      <details className="fold">
        <summary>Headers of the answer</summary>
        <dl className="facts facts-small">
          {answer.headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}

function BodyText({ answer }: { answer: TryAnswer }) {
  return (
    <>
      <pre className="code" data-answer>
        <code>{answer.text}</code>
      </pre>
      {answer.isCut ? <p className="soft">The rest is too long to be shown here.</p> : null}
    </>
  );
}

function MediaView({ media, contentType }: { media: Blob; contentType: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  const picture = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(media);
    const element = audio.current ?? picture.current;
    if (element) element.src = url;
    return () => URL.revokeObjectURL(url);
  }, [media]);
  if (contentType.startsWith("image/")) return <img ref={picture} alt="What the gate sent" />;
  // eslint-disable-next-line jsx-a11y/media-has-caption -- The text that is spoken stands in the form above.
  return <audio ref={audio} controls aria-label="The sound that the gate sent" />;
}

/** One line for the eye and for screen readers; the words of a stream are not read out piece by piece. */
export function describeAnswer(answer: TryAnswer): string {
  const time = `${Math.round(answer.durationMs)} ms`;
  if (answer.phase === "receiving") return `HTTP ${answer.status}, receiving …`;
  const end = answer.phase === "broken" ? "stopped before its end" : "complete";
  return `HTTP ${answer.status}, ${end} after ${time}`;
}
