import { useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import type { PublicSettings } from "~/platform/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { takeLostFocus } from "~/ui/lost-focus";
import { isTokenIdText } from "./token-id-text";
import { NoKey } from "./no-key";
import { NoticeCard } from "./notice-card";
import type { GateNotice } from "./gate-notice-shape";
import type { GateTask, HeldKeys } from "./gate-state";
import { SignInExplained } from "./sign-in-explained";
import { useWaitSeconds } from "./use-wait-seconds";

type KeyCardProps = {
  settings: PublicSettings;
  address: string;
  signsSiwe: boolean;
  keys: HeldKeys;
  tokenId: string;
  task: GateTask | null;
  notice: GateNotice | null;
  onType: (tokenId: string) => void;
  onMint: () => void;
  onSignIn: () => void;
  onStopWaiting: () => void;
};

/** The second step: a wallet is connected; which key shall open the room? */
export function KeyCard({
  settings,
  address,
  signsSiwe,
  keys,
  tokenId,
  task,
  notice,
  onType,
  onMint,
  onSignIn,
  onStopWaiting,
}: KeyCardProps) {
  const [fault, setFault] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const waitSeconds = useWaitSeconds(notice);
  // The page has changed under the visitor: what they pressed is gone, and this is what comes next.
  useEffect(() => takeLostFocus(place.current, { preventScroll: true }), []);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (task) return;
    const isGood = isTokenIdText(tokenId);
    setFault(isGood ? null : "The number of a key is written in digits only, 78 at most.");
    if (!isGood) field.current?.querySelector("input")?.focus();
    // Asked earlier, the server would only refuse again, after another signature.
    else if (waitSeconds > 0) place.current?.querySelector<HTMLElement>(".notice-place")?.focus();
    else onSignIn();
  }

  return (
    <div ref={place} tabIndex={-1} className="focus-place">
      <Card title="Open the room with a key">
        <KeyList keys={keys} tokenId={tokenId} settings={settings} onPick={onType} />
        {settings.mode === "demo" ? (
          <div className="row">
            <Button tone="quiet" onClick={onMint} busy={task?.kind === "mint"} blocked={task !== null}>
              {task?.kind === "mint" ? "Minting" : "Mint a key"}
            </Button>
            <span className="soft">Free in this demo, as often as you like.</span>
          </div>
        ) : null}
        <form className="stack-close" onSubmit={submit} noValidate>
          <div ref={field} className="key-field">
            <Field
              label="Number of the key"
              fault={fault}
              name="tokenId"
              inputMode="numeric"
              autoComplete="off"
              value={tokenId}
              onChange={(event) => {
                setFault(null);
                onType(event.target.value);
              }}
            />
          </div>
          {isTokenIdText(tokenId) ? (
            <SignInExplained
              settings={settings}
              address={address}
              tokenId={tokenId.trim()}
              signsSiwe={signsSiwe}
            />
          ) : null}
          <Button type="submit" busy={task?.kind === "sign-in"} blocked={task !== null}>
            {task?.kind === "sign-in" ? "Signing in" : "Sign in"}
          </Button>
        </form>
        <p role="status" className={task ? "soft" : "visually-hidden"}>
          {task ? taskSentence(task) : ""}
        </p>
        {task?.step === "wallet" ? (
          <div className="row">
            <Button tone="quiet" onClick={onStopWaiting}>
              Stop waiting
            </Button>
            <span className="soft">No window? Open your wallet by its icon: the request may wait there.</span>
          </div>
        ) : null}
        {notice ? <NoticeCard notice={notice} onRetry={onSignIn} /> : null}
      </Card>
    </div>
  );
}

type KeyListProps = {
  keys: HeldKeys;
  tokenId: string;
  settings: PublicSettings;
  onPick: (tokenId: string) => void;
};

function KeyList({ keys, tokenId, settings, onPick }: KeyListProps) {
  if (keys.status === "loading") return <p className="soft">Looking for keys in this wallet.</p>;
  if (keys.status === "unlisted") {
    return (
      <p>The chain could not list the keys of this wallet. If you know the number of yours, type it below.</p>
    );
  }
  if (keys.tokenIds.length === 0) {
    return <NoKey settings={settings} />;
  }
  return (
    <div className="key-list" role="group" aria-label="Keys in this wallet">
      <span className="soft">In this wallet:</span>
      {keys.tokenIds.map((held) => (
        <button
          key={held}
          type="button"
          className="key-chip"
          aria-pressed={held === tokenId}
          onClick={() => onPick(held)}
        >
          Key #{held}
        </button>
      ))}
    </div>
  );
}

function taskSentence(task: GateTask): string {
  if (task.kind === "mint") {
    if (task.step === "funds") return "Getting test money for the fee.";
    return task.step === "wallet"
      ? "Confirm the new key in your wallet."
      : "Waiting for the chain to record it.";
  }
  if (task.step === "nonce") return "Asking the server for a fresh message.";
  return task.step === "wallet" ? "Sign the message in your wallet." : "The server is checking your key.";
}
