import { useCallback, useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { lookupParameter } from "~/gate/keys/key-lookup";
import type { KeyLookup } from "~/gate/keys/key-lookup";
import { readRefused } from "~/platform/http/notice";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { RefusedError, createGateApi } from "../gate-api";
import { noticeFor } from "../gate-notice";
import { isTokenIdText } from "./token-id-text";
import { NoticeCard } from "../notice-card";
import { shortAddress } from "../wallet/short-address";
import type { GateNotice } from "../gate-notice-shape";
import { readTokenStatus } from "../gate-answers";
import type { TokenStatus } from "../gate-answers";

type Lookup =
  | { status: "none" }
  | { status: "asking" }
  | { status: "answered"; answer: TokenStatus }
  | { status: "refused"; notice: GateNotice };

type StatusCardProps = {
  /** The key to look up without being asked; null shows an empty field. */
  initialTokenId: string | null;
  /** Asked for in the page's address, and answered with the page. */
  lookup: KeyLookup | null;
};

/** Whether a key exists and has been used: public, for anybody to ask. */
export function StatusCard({ initialTokenId, lookup: asked }: StatusCardProps) {
  const [value, setValue] = useState(initialTokenId ?? asked?.asked ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const [lookup, setLookup] = useState<Lookup>(() =>
    initialTokenId === null ? lookupFrom(asked) : { status: "none" },
  );
  const latest = useRef(0);

  const lookUp = useCallback(async (tokenId: string) => {
    const turn = (latest.current += 1);
    const outcome = await findStatus(tokenId);
    // An answer that was overtaken by a later question is dropped.
    if (turn === latest.current) setLookup(outcome);
  }, []);

  useEffect(() => {
    if (initialTokenId !== null) void lookUp(initialTokenId);
  }, [initialTokenId, lookUp]);

  function submit(event: FormEvent) {
    event.preventDefault();
    const isGood = isTokenIdText(value);
    setFault(isGood ? null : "The number of a key is written in digits only, 78 at most.");
    if (!isGood) return;
    void ask(value.trim());
  }

  function ask(tokenId: string): Promise<void> {
    setLookup({ status: "asking" });
    return lookUp(tokenId);
  }

  return (
    <details className="unfold lookup" open={initialTokenId !== null || asked !== null}>
      <summary>
        <h2>Look up a key</h2>
      </summary>
      {/* Without scripts the browser sends it itself, and the server answers with the page. */}
      <form className="inline-form" method="get" action="/gate" onSubmit={submit} noValidate>
        <Field
          label="Key to look up"
          name={lookupParameter}
          inputMode="numeric"
          autoComplete="off"
          fault={fault}
          value={value}
          onChange={(event) => {
            setFault(null);
            setValue(event.target.value);
          }}
        />
        <Button tone="quiet" type="submit" busy={lookup.status === "asking"}>
          Look up
        </Button>
      </form>
      <div role="status">{lookup.status === "answered" ? <StatusFacts answer={lookup.answer} /> : null}</div>
      {lookup.status === "refused" ? (
        <NoticeCard notice={lookup.notice} onRetry={() => void ask(value.trim())} />
      ) : null}
    </details>
  );
}

function lookupFrom(asked: KeyLookup | null): Lookup {
  if (!asked) return { status: "none" };
  if ("answer" in asked) return { status: "answered", answer: readTokenStatus(asked.answer) };
  const refused = readRefused({ status: asked.problem.status, body: asked.problem });
  return { status: "refused", notice: noticeFor(new RefusedError(refused), "status") };
}

async function findStatus(tokenId: string): Promise<Lookup> {
  try {
    const answer = await createGateApi(window.location.origin).getTokenStatus(tokenId);
    return { status: "answered", answer };
  } catch (error) {
    return { status: "refused", notice: noticeFor(error, "status") };
  }
}

/** In no zone of this device's: the server writes it too, and both have to write the same. */
function universalTime(moment: string): string {
  return `${new Date(moment).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function StatusFacts({ answer }: { answer: TokenStatus }) {
  const state = answer.used ? "used" : answer.exists ? "unused" : "does not exist";
  return (
    <dl className="facts">
      <dt>Key</dt>
      <dd>#{answer.tokenId}</dd>
      <dt>State</dt>
      <dd>
        <strong>{state}</strong>
      </dd>
      {answer.usedBy ? (
        <>
          <dt>Used by</dt>
          <dd>
            <code title={answer.usedBy}>{shortAddress(answer.usedBy)}</code>
          </dd>
        </>
      ) : null}
      {answer.usedAt ? (
        <>
          <dt>Used at</dt>
          <dd>
            <time dateTime={answer.usedAt}>{universalTime(answer.usedAt)}</time>
          </dd>
        </>
      ) : null}
    </dl>
  );
}
