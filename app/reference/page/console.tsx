import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "~/ui/button";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import { useCopy } from "~/ui/use-copy";
import type { ReferenceOperation } from "../read-reference";
import { startingValues, writeCurl } from "../request";
import type { RequestValues } from "../request";
import { readRefusal, sendTry } from "../try-request";
import type { TryAnswer } from "../try-request";
import { TryFields } from "./try-form";
import type { TryFieldsProps } from "./try-form";
import { useVisitor } from "./use-visitor";

export function Console({ operation, origin }: { operation: ReferenceOperation; origin: string }) {
  const { visitor } = useVisitor();
  const [given, setGiven] = useState<Partial<RequestValues>>({});
  const values = { ...startingValues(operation, visitor.state === "signed-in"), ...given };
  const curl = writeCurl(operation, values, origin);
  // What needs scripts is drawn only where they run.
  const isHydrated = useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
  return (
    <div className="console">
      <div className="code-frame">
        {isHydrated ? <CopyButton label={`Copy curl: ${operation.summary}`} text={curl} /> : null}
        <pre className="code" data-snippet={`${operation.id}.curl`}>
          {curl}
        </pre>
      </div>
      {isHydrated ? (
        <TryIt
          operation={operation}
          values={values}
          onChange={(changed) => setGiven({ ...given, ...changed })}
        />
      ) : null}
    </div>
  );
}

function CopyButton({ label, text }: { label: string; text: string }) {
  const { words, copy } = useCopy();
  return (
    <span className="copy">
      <span role="status" className="copy-outcome">
        {words}
      </span>
      <button type="button" className="copy-button" aria-label={label} onClick={() => void copy(text)}>
        Copy
      </button>
    </span>
  );
}

function TryIt({ operation, values, onChange }: TryFieldsProps) {
  const { answer, status, isUnderWay, send, stop } = useTry(operation, values);
  return (
    <details className="fold try">
      <summary>
        Try it<span className="visually-hidden">: {operation.summary}</span>
      </summary>
      <form
        className="try-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnderWay) void send();
        }}
      >
        <TryFields operation={operation} values={values} onChange={onChange} />
        {operation.method === "GET" ? null : (
          <p className="field-hint">This is sent to this gate for real.</p>
        )}
        <div className="row">
          <Button type="submit" busy={isUnderWay}>
            Send
          </Button>
          {isUnderWay ? (
            <Button tone="quiet" onClick={stop}>
              Stop
            </Button>
          ) : null}
        </div>
      </form>
      <p role="status" className="try-status">
        {status}
      </p>
      {answer ? <TryAnswerView answer={answer} /> : null}
    </details>
  );
}

function useTry(operation: ReferenceOperation, values: RequestValues) {
  const [outcome, setOutcome] = useState<TryAnswer | "sending" | "unreachable" | null>(null);
  const abort = useRef<AbortController | null>(null);
  const { refresh } = useVisitor();
  useEffect(() => () => abort.current?.abort(), []);

  async function send(): Promise<void> {
    abort.current = new AbortController();
    setOutcome("sending");
    try {
      const { signal } = abort.current;
      for await (const answer of sendTry({ operation, values, signal })) setOutcome(answer);
    } catch {
      setOutcome("unreachable");
    }
    // Signing out, or in with a token: the page says so at once.
    if (operation.path === "/session") refresh();
  }

  const answer = typeof outcome === "object" ? outcome : null;
  const unreachable = "The gate could not be reached, or the request was stopped.";
  return {
    answer,
    status: outcome === "unreachable" ? unreachable : answer && describeAnswer(answer),
    isUnderWay: outcome === "sending" || answer?.phase === "receiving",
    send,
    stop: () => abort.current?.abort(),
  };
}

/** What came back: text as it comes, sound to play, a refusal with its page. */
function TryAnswerView({ answer }: { answer: TryAnswer }) {
  const refusal = readRefusal(answer);
  const { media, contentType, text, headers } = answer;
  return (
    <div className="try-answer">
      {refusal ? (
        <Notice tone="problem" title={refusal.title}>
          {refusal.detail ? <p>{refusal.detail}</p> : null}
          <p>
            <CodeText text={refusal.remedy} />
          </p>
          <p>
            <a href={refusal.pagePath ?? "/problems"}>What this means and what to do</a>
          </p>
        </Notice>
      ) : null}
      {media ? <MediaView media={media} contentType={contentType} /> : null}
      {text === "" ? null : (
        <pre className="code" data-answer>
          {text}
        </pre>
      )}
      <details className="fold">
        <summary>Headers of the answer</summary>
        <pre className="code">{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
      </details>
    </div>
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
function describeAnswer({ status, phase, durationMs }: TryAnswer): string {
  if (phase === "receiving") return `HTTP ${status}, receiving …`;
  const end = phase === "broken" ? "stopped before its end" : "complete";
  return `HTTP ${status}, ${end} after ${Math.round(durationMs)} ms`;
}
