import { useSearchParams } from "@remix-run/react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { lookupParameter } from "~/gate/session/key-lookup";
import type { KeyLookup } from "~/gate/session/key-lookup";
import { Button } from "~/ui/button";
import { Facts } from "~/ui/facts";
import { Field } from "~/ui/field";
import { createGateApi, readTokenStatus } from "../gate-api";
import { noticeFor, noticeForProblem } from "../gate-notice";
import type { PageKind, PageKinds } from "../kinds/page-kind";
import type { SignedKey } from "../kinds/signed-key";
import type { GateNotice } from "../wallet/wallet-notices";
import { NoticeCard } from "../notice-card";
import { shortAddress } from "../wallet/address-text";
import { tokenIdFault } from "./token-id-text";

/** Of the kind, in the page's address. */
const kindParameter = "key";

type KeyStatus = ReturnType<typeof readTokenStatus>;
type Outcome = { answer: KeyStatus } | { notice: GateNotice };

type StatusCardProps = {
  kinds: PageKinds;
  /** The key to look up without being asked; null shows an empty field. */
  inside: SignedKey | null;
  /** Asked for in the page's address, and answered with the page. */
  lookup: KeyLookup | null;
};

/** Whether a key exists and has been used: public, for anybody to ask. */
export function StatusCard({ kinds, inside, lookup }: StatusCardProps) {
  const [searchParams] = useSearchParams();
  const listed = listLookedUp(kinds);
  const initialTokenId = inside?.isMembership ? null : (inside?.tokenId ?? null);
  const initialKind = inside?.kindName ?? searchParams.get(kindParameter) ?? listed[0]?.name;
  const [kindName, setKindName] = useState(initialKind);
  const [value, setValue] = useState(initialTokenId ?? lookup?.asked ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | "asking" | null>(() =>
    initialTokenId === null && lookup ? readLookup(lookup) : null,
  );
  const latest = useRef(0);

  const firstName = kinds[0].name;
  const lookUp = useCallback(
    async (tokenId: string, kind: string | undefined) => {
      const turn = (latest.current += 1);
      const found = await findStatus({ tokenId, ...(kind && kind !== firstName && { key: kind }) });
      // An answer that was overtaken by a later question is dropped.
      if (turn === latest.current) setOutcome(found);
    },
    [firstName],
  );

  useEffect(() => {
    if (initialTokenId !== null) void lookUp(initialTokenId, initialKind);
  }, [initialTokenId, initialKind, lookUp]);

  function ask() {
    setOutcome("asking");
    void lookUp(value.trim(), kindName);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const found = tokenIdFault(value);
    setFault(found);
    if (!found) ask();
  }

  const settled = outcome === "asking" ? null : outcome;
  if (listed.length === 0) return null;
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
        <KindSelect kinds={kinds} listed={listed} kindName={kindName} onPick={setKindName} />
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

type KindSelectProps = {
  kinds: PageKinds;
  listed: readonly PageKind[];
  kindName: string | undefined;
  onPick: (kindName: string) => void;
};

/** Without scripts the form sends it; the first kind is meant where none is named. */
function KindSelect({ kinds, listed, kindName, onPick }: KindSelectProps) {
  const [only] = listed;
  if (listed.length === 1 && only === kinds[0]) return null;
  if (listed.length === 1) return <input type="hidden" name={kindParameter} value={only?.name} />;
  return (
    <label className="stack field">
      Kind
      <select
        className="input"
        name={kindParameter}
        value={kindName}
        onChange={(event) => onPick(event.target.value)}
      >
        {listed.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function readLookup(lookup: KeyLookup): Outcome {
  if ("problem" in lookup) return { notice: noticeForProblem(lookup.problem) };
  return { answer: readTokenStatus(lookup.answer) };
}

/** Of a membership only whether it was used is told, under a number that nobody types. */
function listLookedUp(kinds: PageKinds): PageKind[] {
  return kinds.filter(({ standard }) => standard !== "membership");
}

async function findStatus(asked: { tokenId: string; key?: string }): Promise<Outcome> {
  try {
    return { answer: await createGateApi(window.location.origin).getTokenStatus(asked) };
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
