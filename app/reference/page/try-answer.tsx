import { useEffect, useMemo, useRef } from "react";
import type { NoticeText } from "~/platform/http/notice";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import { Wait } from "~/ui/wait";
import { readRefusal } from "../refusal-notice";
import type { TryAnswer } from "../try-request";

/** What came back: text as it comes, sound to play, a refusal with its page. */
export function TryAnswerView({ answer }: { answer: TryAnswer }) {
  const refusal = useMemo(() => readRefusal(answer), [answer]);
  return (
    <div className="try-answer">
      {refusal ? <RefusalNotice refusal={refusal} /> : null}
      {answer.media ? <MediaView media={answer.media} contentType={answer.contentType} /> : null}
      {answer.text === "" ? null : <BodyText answer={answer} />}
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

/** One line for the eye and for screen readers; the events of a stream are not read out one by one. */
export function describeAnswer(answer: TryAnswer): string {
  const time = `${Math.round(answer.durationMs)} ms`;
  if (answer.phase === "receiving") return `HTTP ${answer.status}, receiving …`;
  const end = answer.phase === "broken" ? "stopped before its end" : "complete";
  return `HTTP ${answer.status}, ${end} after ${time}`;
}
