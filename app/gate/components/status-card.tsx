import { useCallback, useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { createGateApi } from "./gate-api";
import { noticeFor } from "./gate-notice";
import { isTokenIdText } from "./token-id-text";
import { NoticeCard } from "./notice-card";
import { shortAddress } from "./short-address";
import type { GateNotice } from "./gate-notice";
import type { TokenStatus } from "./gate-answers";

type Lookup =
  | { status: "none" }
  | { status: "asking" }
  | { status: "answered"; answer: TokenStatus }
  | { status: "refused"; notice: GateNotice };

type StatusCardProps = {
  /** The key to look up without being asked; null shows an empty field. */
  initialTokenId: string | null;
};

/** Whether a key exists and has been used: public, for anybody to ask. */
export function StatusCard({ initialTokenId }: StatusCardProps) {
  const [value, setValue] = useState(initialTokenId ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const [lookup, setLookup] = useState<Lookup>({ status: initialTokenId === null ? "none" : "asking" });
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
    setLookup({ status: "asking" });
    void lookUp(value.trim());
  }

  return (
    <Card title="Look up a key">
      <form className="inline-form" onSubmit={submit} noValidate>
        <Field
          label="Key to look up"
          name="lookup"
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
      {lookup.status === "refused" ? <NoticeCard notice={lookup.notice} /> : null}
    </Card>
  );
}

async function findStatus(tokenId: string): Promise<Lookup> {
  try {
    const answer = await createGateApi({ origin: window.location.origin }).getTokenStatus(tokenId);
    return { status: "answered", answer };
  } catch (error) {
    return { status: "refused", notice: noticeFor({ error, activity: "status" }) };
  }
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
            <time dateTime={answer.usedAt}>{new Date(answer.usedAt).toLocaleString()}</time>
          </dd>
        </>
      ) : null}
    </dl>
  );
}
