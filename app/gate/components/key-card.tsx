import { useState } from "react";
import type { FormEvent } from "react";
import type { PublicSettings } from "~/platform/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { isTokenIdText } from "./token-id-text";
import { NoKey } from "./no-key";
import { NoticeCard } from "./notice-card";
import type { GateNotice } from "./gate-notice";
import type { GateTask, HeldKeys } from "./gate-flow";

type KeyCardProps = {
  settings: PublicSettings;
  keys: HeldKeys;
  tokenId: string;
  task: GateTask | null;
  notice: GateNotice | null;
  onType: (tokenId: string) => void;
  onMint: () => void;
  onSignIn: () => void;
};

/** The second step: a wallet is connected; which key shall open the room? */
export function KeyCard({ settings, keys, tokenId, task, notice, onType, onMint, onSignIn }: KeyCardProps) {
  const [fault, setFault] = useState<string | null>(null);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (task) return;
    const isGood = isTokenIdText(tokenId);
    setFault(isGood ? null : "The number of a key is written in digits only, 78 at most.");
    if (isGood) onSignIn();
  }

  return (
    <Card title="Open the room with a key">
      <KeyList keys={keys} tokenId={tokenId} settings={settings} onPick={onType} />
      {settings.mode === "demo" ? (
        <div className="row">
          <Button tone="quiet" onClick={onMint} busy={task !== null}>
            {task?.kind === "mint" ? "Minting" : "Mint a key"}
          </Button>
          <span className="soft">Free in this demo, as often as you like.</span>
        </div>
      ) : null}
      <form className="stack-close" onSubmit={submit} noValidate>
        <Field
          label="Number of the key"
          hint="Your wallet asks you to sign a message. It costs nothing and moves nothing."
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
        <Button type="submit" busy={task !== null}>
          {task?.kind === "sign-in" ? "Signing in" : "Sign in"}
        </Button>
      </form>
      <p role="status" className={task ? "soft" : "visually-hidden"}>
        {task ? taskSentence(task) : ""}
      </p>
      {notice ? <NoticeCard notice={notice} /> : null}
    </Card>
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
