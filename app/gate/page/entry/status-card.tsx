import { useCallback, useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { lookupParameter } from "~/gate/keys/key-lookup";
import type { KeyLookup } from "~/gate/keys/key-lookup";
import { Button } from "~/ui/button";
import { Facts } from "~/ui/facts";
import { Field } from "~/ui/field";
import { createGateApi, readTokenStatus } from "../gate-api";
import { noticeFor, noticeForProblem } from "../gate-notice";
import type { GateNotice } from "../wallet/wallet-notices";
import { NoticeCard } from "../notice-card";
import { shortAddress } from "../wallet/address-text";
import { tokenIdFault } from "./token-id-text";

type KeyStatus = ReturnType<typeof readTokenStatus>;
type Outcome = { answer: KeyStatus } | { notice: GateNotice };

type StatusCardProps = {
  /** The key to look up without being asked; null shows an empty field. */
  initialTokenId: string | null;
  /** Asked for in the page's address, and answered with the page. */
  lookup: KeyLookup | null;
};

/** Whether a key exists and has been used: public, for anybody to ask. */
export function StatusCard({ initialTokenId, lookup }: StatusCardProps) {
  const [value, setValue] = useState(initialTokenId ?? lookup?.asked ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | "asking" | null>(() =>
    initialTokenId === null && lookup ? readLookup(lookup) : null,
  );
  const latest = useRef(0);

  const lookUp = useCallback(async (tokenId: string) => {
    const turn = (latest.current += 1);
    const found = await findStatus(tokenId);
    // An answer that was overtaken by a later question is dropped.
    if (turn === latest.current) setOutcome(found);
  }, []);

  useEffect(() => {
    if (initialTokenId !== null) void lookUp(initialTokenId);
  }, [initialTokenId, lookUp]);

  function ask() {
    setOutcome("asking");
    void lookUp(value.trim());
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const found = tokenIdFault(value);
    setFault(found);
    if (!found) ask();
  }

  const settled = outcome === "asking" ? null : outcome;
  return (
    <details className="unfold lookup" open={initialTokenId !== null || lookup !== null}>
      <summary>
        <h2>Look up a key</h2>
      </summary>
      {/* Without scripts the browser sends it itself, and the server answers with the page. */}
      <form className="row inline-form" method="get" action="/gate" onSubmit={submit} noValidate>
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
        <Button tone="quiet" type="submit" busy={outcome === "asking"}>
          Look up
        </Button>
      </form>
      <div role="status">
        {settled && "answer" in settled ? <StatusFacts answer={settled.answer} /> : null}
      </div>
      {settled && "notice" in settled ? <NoticeCard notice={settled.notice} onRetry={ask} /> : null}
    </details>
  );
}

function readLookup(lookup: KeyLookup): Outcome {
  if ("problem" in lookup) return { notice: noticeForProblem(lookup.problem) };
  return { answer: readTokenStatus(lookup.answer) };
}

async function findStatus(tokenId: string): Promise<Outcome> {
  try {
    return { answer: await createGateApi(window.location.origin).getTokenStatus(tokenId) };
  } catch (error) {
    return { notice: noticeFor(error, "status") };
  }
}

/** In no zone of this device's: the server writes it too, and both have to write the same. */
function universalTime(moment: string): string {
  return `${new Date(moment).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function StatusFacts({ answer: { tokenId, exists, used, usedBy, usedAt } }: { answer: KeyStatus }) {
  return (
    <Facts
      rows={{
        Key: `#${tokenId}`,
        State: <strong>{used ? "used" : exists ? "unused" : "does not exist"}</strong>,
        "Used by": usedBy && <code title={usedBy}>{shortAddress(usedBy)}</code>,
        "Used at": usedAt && <time dateTime={usedAt}>{universalTime(usedAt)}</time>,
      }}
    />
  );
}
