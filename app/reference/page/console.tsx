import { useEffect, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { writeCurl } from "../curl-snippet";
import { startingValues, usualAs } from "../reference";
import type { ReferenceOperation, RequestValues } from "../reference";
import { sendTry } from "../try-request";
import type { TryAnswer } from "../try-request";
import { describeAnswer, TryAnswerView } from "./try-answer";
import { TryFields } from "./try-form";
import { CopyButton } from "./copy-button";
import { useHydrated } from "./use-hydrated";
import { useVisitor } from "./use-visitor";

type Outcome = TryAnswer | "unreachable" | null;

/** Beside each operation: the call to copy, and the same call to send from here. */
export function Console({ operation, origin }: { operation: ReferenceOperation; origin: string }) {
  const isHydrated = useHydrated();
  const { visitor } = useVisitor();
  const [given, setGiven] = useState(() => startingValues(operation));
  const [hasChosen, setChosen] = useState(false);
  const usual = usualAs({ operation, isSignedIn: visitor.state === "signed-in" });
  const values = hasChosen ? given : { ...given, as: usual };

  const curl = writeCurl({ operation, values, origin });

  function setValues(next: RequestValues): void {
    if (next.as !== values.as) setChosen(true);
    setGiven(next);
  }

  return (
    <div className="console">
      <div className="code-frame">
        {isHydrated ? <CopyButton label={`Copy curl: ${operation.summary}`} text={curl} /> : null}
        <pre className="code" data-snippet={`${operation.id}.curl`}>
          <code>{curl}</code>
        </pre>
      </div>
      {isHydrated ? <TryIt operation={operation} values={values} onValues={setValues} /> : null}
    </div>
  );
}

type TryItProps = Omit<Parameters<typeof TryFields>[0], "secret" | "onSecret">;

function TryIt({ operation, values, onValues }: TryItProps) {
  const [secret, setSecret] = useState("");
  const { outcome, isUnderWay, send, stop } = useTry(operation, values, secret);
  return (
    <details className="fold try">
      <summary>
        Try it<span className="visually-hidden">: {operation.summary}</span>
      </summary>
      <form
        className="try-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnderWay) send();
        }}
      >
        <TryFields
          operation={operation}
          values={values}
          onValues={onValues}
          secret={secret}
          onSecret={setSecret}
        />
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
        {outcome === "unreachable" ? "The gate could not be reached, or the request was stopped." : null}
        {outcome !== null && outcome !== "unreachable" ? describeAnswer(outcome) : null}
      </p>
      {outcome !== null && outcome !== "unreachable" ? <TryAnswerView answer={outcome} /> : null}
    </details>
  );
}

function useTry(operation: ReferenceOperation, values: TryItProps["values"], secret: string) {
  const [outcome, setOutcome] = useState<Outcome>(null);
  const [isUnderWay, setUnderWay] = useState(false);
  const abort = useRef<AbortController | null>(null);
  const { refresh } = useVisitor();
  useEffect(() => () => abort.current?.abort(), []);

  async function run(): Promise<void> {
    const own = new AbortController();
    abort.current = own;
    setOutcome(null);
    setUnderWay(true);
    try {
      await sendTry({ operation, values, secret, signal: own.signal, onChange: setOutcome });
    } catch {
      setOutcome("unreachable");
    } finally {
      setUnderWay(false);
      // Signing out, or in with a token: the page says so at once.
      if (operation.path === "/session") refresh();
    }
  }

  return { outcome, isUnderWay, send: () => void run(), stop: () => abort.current?.abort() };
}
