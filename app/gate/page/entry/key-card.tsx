import { useEffect, useRef, useState } from "react";
import type { FormEvent, ReactNode, RefObject } from "react";
import type { PublicSettings } from "~/platform/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { takeLostFocus } from "~/ui/lost-focus";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import { isTokenIdText } from "./token-id-text";
import { KeyContract, NoKey } from "./no-key";
import { NoticeCard } from "../notice-card";
import type { GateNotice } from "../gate-notice-shape";
import type { GateTask, HeldKeys } from "../gate-state";
import { SignInExplained } from "./sign-in-explained";

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
  const waitSeconds = useSecondsUntil(notice?.retryAtMs ?? null);
  const isDemo = settings.mode === "demo";
  const isWithout = holdsNone(keys);
  // The page has changed under the visitor: what they pressed is gone, and this is what comes next.
  useEffect(() => takeLostFocus(place.current, { preventScroll: true }), [isWithout]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (task) return;
    const isGood = isTokenIdText(tokenId);
    setFault(isGood ? null : "The number of a key is written in digits only, 78 at most.");
    if (!isGood) focusField();
    // Asked earlier, the server would only refuse again, after another signature.
    else if (waitSeconds > 0) place.current?.querySelector<HTMLElement>(".notice-place")?.focus();
    else onSignIn();
  }

  function focusField() {
    // What is folded away cannot take the focus.
    field.current?.closest("details")?.setAttribute("open", "");
    field.current?.querySelector("input")?.focus();
  }

  const number = (
    <NumberField
      place={field}
      fault={fault}
      value={tokenId}
      onType={(typed) => {
        setFault(null);
        onType(typed);
      }}
    />
  );
  const mint = isDemo ? <MintButton isNext={isWithout} task={task} onMint={onMint} /> : null;
  const news = <News task={task} notice={notice} onSignIn={onSignIn} onStopWaiting={onStopWaiting} />;
  const isElsewhere = isWithout && (isDemo || settings.wallets.keyShopUrl !== null);
  const signIn = (
    <Button
      type="submit"
      tone={isElsewhere ? "quiet" : "primary"}
      busy={task?.kind === "sign-in"}
      blocked={task !== null}
    >
      {task?.kind === "sign-in" ? "Signing in" : "Sign in"}
    </Button>
  );
  const explained = isTokenIdText(tokenId) ? (
    <SignInExplained settings={settings} address={address} tokenId={tokenId.trim()} signsSiwe={signsSiwe} />
  ) : null;

  return (
    <div ref={place} tabIndex={-1} className="focus-place">
      <Card title="Open the room with a key">
        <form className="stack-close key-form" onSubmit={submit} noValidate>
          <Ways
            parts={{ number, mint, news, signIn, explained }}
            settings={settings}
            keys={keys}
            tokenId={tokenId}
            onPick={onType}
          />
        </form>
      </Card>
    </div>
  );
}

type WaysProps = Pick<KeyCardProps, "settings" | "keys" | "tokenId"> & {
  parts: Record<"number" | "mint" | "news" | "signIn" | "explained", ReactNode>;
  onPick: (tokenId: string) => void;
};

/** What comes next stands first: a key from the list, a first key, or the number of one that cannot be listed. */
function Ways({ settings, keys, tokenId, parts, onPick }: WaysProps) {
  const { number, mint, news, signIn, explained } = parts;
  if (keys.status === "unlisted") {
    return (
      <>
        <p>The chain could not list the keys of this wallet. If you know the number of yours, type it.</p>
        {number}
        {signIn}
        {news}
        {explained}
        {mint}
      </>
    );
  }
  if (holdsNone(keys)) {
    return (
      <>
        <NoKey settings={settings} mint={mint} />
        {news}
        <KeyContract settings={settings} />
        {number}
        {signIn}
        {explained}
      </>
    );
  }
  return (
    <>
      <KeyList keys={keys} tokenId={tokenId} onPick={onPick} />
      {signIn}
      {news}
      {explained}
      <details className="unfold">
        <summary>Another key</summary>
        {number}
        {mint}
      </details>
    </>
  );
}

function holdsNone(keys: HeldKeys): boolean {
  return keys.status === "listed" && keys.tokenIds.length === 0;
}

type NumberFieldProps = {
  place: RefObject<HTMLDivElement>;
  fault: string | null;
  value: string;
  onType: (typed: string) => void;
};

function NumberField({ place, fault, value, onType }: NumberFieldProps) {
  return (
    <div ref={place} className="key-field">
      <Field
        label="Number of the key"
        fault={fault}
        name="tokenId"
        inputMode="numeric"
        autoComplete="off"
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    </div>
  );
}

type NewsProps = Pick<KeyCardProps, "task" | "notice" | "onSignIn" | "onStopWaiting">;

/** What became of the last press. */
function News({ task, notice, onSignIn, onStopWaiting }: NewsProps) {
  return (
    <>
      <p role="status" className={task ? "soft" : "visually-hidden"}>
        {task ? taskSentence(task) : ""}
      </p>
      {task?.step === "wallet" ? <StopWaiting onStopWaiting={onStopWaiting} /> : null}
      {notice ? <NoticeCard notice={notice} onRetry={onSignIn} /> : null}
    </>
  );
}

type MintButtonProps = { isNext: boolean; task: GateTask | null; onMint: () => void };

function MintButton({ isNext, task, onMint }: MintButtonProps) {
  const isMinting = task?.kind === "mint";
  return (
    <div className="row">
      <Button tone={isNext ? "primary" : "quiet"} onClick={onMint} busy={isMinting} blocked={task !== null}>
        {isMinting ? "Minting" : "Mint a key"}
      </Button>
      {task ? null : <span className="soft">Free in this demo, as often as you like.</span>}
    </div>
  );
}

function StopWaiting({ onStopWaiting }: { onStopWaiting: () => void }) {
  return (
    <div className="row">
      <Button tone="quiet" onClick={onStopWaiting}>
        Stop waiting
      </Button>
      <span className="soft">No window? Open your wallet by its icon: the request may wait there.</span>
    </div>
  );
}

type KeyListProps = {
  keys: Extract<HeldKeys, { status: "loading" | "listed" }>;
  tokenId: string;
  onPick: (tokenId: string) => void;
};

function KeyList({ keys, tokenId, onPick }: KeyListProps) {
  if (keys.status === "loading") return <p className="soft">Looking for keys in this wallet.</p>;
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
