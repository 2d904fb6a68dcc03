import { useSearchParams } from "@remix-run/react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { lookupParameter } from "../../session/visit";
import type { KeyLookup } from "../../session/visit";
import { Button } from "~/ui/button";
import { Facts } from "~/ui/facts";
import { Field } from "~/ui/field";
import type { TokenStatus } from "../../proofs/gate-bodies";
import { createGateApi } from "../gate-api";
import { noticeFor, noticeForProblem } from "../gate-notice";
import { tokenIdFault } from "../kinds/key-choice";
import type { PageKind, PageKinds, SignedKey } from "../kinds/page-kind";
import type { GateNotice } from "../wallet/wallet-notices";
import { NoticeCard } from "../notice-card";
import { shortAddress } from "../wallet/address-text";

const kindParameter = "key";

type Result = { status: TokenStatus } | { notice: GateNotice };

type StatusCardProps = {
  kinds: PageKinds;
  /** The visitor's own key, looked up at once. */
  inside: SignedKey | null;
  /** Requested in the page's address. */
  lookup: KeyLookup | null;
};

export function StatusCard({ kinds, inside, lookup }: StatusCardProps) {
  const [searchParams] = useSearchParams();
  // A membership has no number that anybody types.
  const listed = kinds.filter(({ standard }) => standard !== "membership");
  const initialTokenId = inside?.isMembership ? null : (inside?.tokenId ?? null);
  const initialKind = inside?.kindName ?? searchParams.get(kindParameter) ?? listed[0]?.name;
  const [kindName, setKindName] = useState(initialKind);
  const [value, setValue] = useState(initialTokenId ?? lookup?.typed ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const [result, setResult] = useState<Result | "loading" | null>(() =>
    initialTokenId === null && lookup ? toResult(lookup) : null,
  );
  const latest = useRef(0);

  const firstName = kinds[0].name;
  const lookUp = useCallback(
    async (tokenId: string, kind: string | undefined) => {
      const turn = (latest.current += 1);
      const found = await findStatus({ tokenId, ...(kind && kind !== firstName && { key: kind }) });
      // A later lookup has overtaken this one.
      if (turn === latest.current) setResult(found);
    },
    [firstName],
  );

  useEffect(() => {
    if (initialTokenId !== null) void lookUp(initialTokenId, initialKind);
  }, [initialTokenId, initialKind, lookUp]);

  function ask() {
    setResult("loading");
    void lookUp(value.trim(), kindName);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const found = tokenIdFault(value);
    setFault(found);
    if (!found) ask();
  }

  const settled = result === "loading" ? null : result;
  if (listed.length === 0) return null;
  return (
    <details className="unfold lookup" open={initialTokenId !== null || lookup !== null}>
      <summary>
        <h2>Look up a key</h2>
      </summary>
      {/* Without scripts the browser submits it, and the server renders the result. */}
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
        <Button tone="quiet" type="submit" busy={result === "loading"}>
          Look up
        </Button>
      </form>
      <div role="status">{settled && "status" in settled ? <StatusFacts {...settled.status} /> : null}</div>
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

function toResult(lookup: KeyLookup): Result {
  return "problem" in lookup ? { notice: noticeForProblem(lookup.problem) } : lookup;
}

async function findStatus(key: { tokenId: string; key?: string }): Promise<Result> {
  try {
    return { status: await createGateApi(window.location.origin).getTokenStatus(key) };
  } catch (error) {
    return { notice: noticeFor(error, "status") };
  }
}

/** Shown in UTC, because the server renders it too. */
function universalTime(moment: string): string {
  return `${new Date(moment).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function StatusFacts({ tokenId, exists, used, usedBy, usedAt }: TokenStatus) {
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
