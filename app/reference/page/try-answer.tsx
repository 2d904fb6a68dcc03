import { useEffect, useMemo, useRef } from "react";
import type { NoticeText } from "~/platform/http/notice";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import { Wait } from "~/ui/wait";
import { readRefusal } from "../try-request";
import type { TryAnswer } from "../try-request";

/** What came back: text as it comes, sound to play, a refusal with its page. */
export function TryAnswerView({ answer }: { answer: TryAnswer }) {
  const refusal = useMemo(() => readRefusal(answer), [answer]);
  const { media, contentType, text, headers } = answer;
  return (
    <div className="try-answer">
      {refusal ? <RefusalNotice refusal={refusal} /> : null}
      {media ? <MediaView media={media} contentType={contentType} /> : null}
      {text === "" ? null : (
        <pre className="code" data-answer>
          <code>{text}</code>
        </pre>
      )}
      <details className="fold">
        <summary>Headers of the answer</summary>
        <pre className="code">
          <code>{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</code>
        </pre>
      </details>
    </div>
  );
}

function RefusalNotice({ refusal }: { refusal: NoticeText }) {
  const { title, detail, remedy, retryAtMs = null, pagePath } = refusal;
  const secondsLeft = useSecondsUntil(retryAtMs);
  return (
    <Notice tone="problem" title={title}>
      {detail ? <p>{detail}</p> : null}
      <p>
        <CodeText text={remedy} />
      </p>
      {retryAtMs === null ? null : <Wait secondsLeft={secondsLeft} untilMs={retryAtMs} />}
      <p>
        <a href={pagePath ?? "/problems"}>What this means and what to do</a>
      </p>
    </Notice>
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

/** One line for the eye and for screen readers; the events of a stream are not read out one by one. */
export function describeAnswer({ status, phase, durationMs }: TryAnswer): string {
  if (phase === "receiving") return `HTTP ${status}, receiving …`;
  const end = phase === "broken" ? "stopped before its end" : "complete";
  return `HTTP ${status}, ${end} after ${Math.round(durationMs)} ms`;
}
