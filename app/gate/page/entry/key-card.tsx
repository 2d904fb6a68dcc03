import { useEffect, useRef, useState } from "react";
import type { FormEvent, ReactNode } from "react";
import type { PublicSettings } from "~/platform/public-settings";
import { Button, ButtonLink } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { takeLostFocus } from "~/ui/lost-focus";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import type { GateTask, HeldKeys, StateIn } from "../gate-state";
import { NoticeCard } from "../notice-card";
import type { GateActions } from "../use-gate-flow";
import { SignInExplained } from "./sign-in-explained";
import { tokenIdFault } from "./token-id-text";

type KeyCardProps = {
  settings: PublicSettings;
  signsSiwe: boolean;
  state: StateIn<"connected">;
  actions: GateActions;
};

export function KeyCard({ settings, signsSiwe, state, actions }: KeyCardProps) {
  const { account, keys, tokenId, task, notice } = state;
  const [fault, setFault] = useState<string | null>(null);
  const card = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const waitSeconds = useSecondsUntil(notice?.retryAtMs ?? null);
  const isDemo = settings.mode === "demo";
  const isWithout = holdsNone(keys);
  const isElsewhere = isWithout && (isDemo || settings.wallets.keyShopUrl !== null);
  const isSigningIn = task?.kind === "sign-in";
  // The page has changed under the visitor: what they pressed is gone, and this is what comes next.
  useEffect(() => takeLostFocus(card.current, { preventScroll: true }), [isWithout]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (task) return;
    const found = tokenIdFault(tokenId);
    setFault(found);
    if (found) focusField();
    // Asked earlier, the server would only refuse again, after another signature.
    else if (waitSeconds > 0) card.current?.querySelector<HTMLElement>(".notice-place")?.focus();
    else actions.signIn();
  }

  function focusField() {
    // A collapsed element cannot take the focus.
    field.current?.closest("details")?.setAttribute("open", "");
    field.current?.querySelector("input")?.focus();
  }

  const number = (
    <div ref={field}>
      <Field
        label="Number of the key"
        fault={fault}
        name="tokenId"
        inputMode="numeric"
        autoComplete="off"
        value={tokenId}
        onChange={(event) => {
          setFault(null);
          actions.typeTokenId(event.target.value);
        }}
      />
    </div>
  );
  const mint = isDemo ? <MintButton isNext={isWithout} task={task} onMint={actions.mint} /> : null;
  const signIn = (
    <Button type="submit" tone={isElsewhere ? "quiet" : "primary"} busy={isSigningIn} blocked={task !== null}>
      {isSigningIn ? "Signing in" : "Sign in"}
    </Button>
  );
  const news = <News state={state} actions={actions} />;
  const explained = tokenIdFault(tokenId) ? null : (
    <SignInExplained
      chainId={settings.chainId}
      address={account.address}
      tokenId={tokenId.trim()}
      signsSiwe={signsSiwe}
    />
  );

  return (
    <div ref={card} tabIndex={-1} className="focus-place">
      <Card title="Open the room with a key">
        <form className="stack-close key-form" onSubmit={submit} noValidate>
          <Ways
            settings={settings}
            state={state}
            parts={{ number, mint, news, signIn, explained }}
            onPick={actions.typeTokenId}
          />
        </form>
      </Card>
    </div>
  );
}

type WaysProps = Pick<KeyCardProps, "settings" | "state"> & {
  parts: Record<"number" | "mint" | "news" | "signIn" | "explained", ReactNode>;
  onPick: (tokenId: string) => void;
};

/** The next step comes first: a key from the list, a first key, or the number of one that cannot be listed. */
function Ways({ settings, state: { keys, tokenId }, parts, onPick }: WaysProps) {
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
        <p className="soft key-contract">
          Keys are tokens of the contract <code>{settings.contractAddress}</code> on{" "}
          {settings.wallets.chain.name}.
        </p>
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

/** A wallet without a key: where to get one. Without `mint`, no key is made here. */
function NoKey({ settings: { wallets }, mint }: { settings: PublicSettings; mint: ReactNode }) {
  return (
    <>
      <p>
        This wallet holds no key yet.
        {mint ? " In this demo you make one yourself, here and for nothing." : null}
      </p>
      {mint}
      {wallets.keyShopUrl ? (
        <p>
          <ButtonLink to={wallets.keyShopUrl} tone={mint ? "quiet" : "primary"} isNewTab>
            Get a key
          </ButtonLink>
        </p>
      ) : mint ? null : (
        <p>
          Whoever runs this site can tell you where keys are to be had. If yours is in another account, select
          it in the wallet.
        </p>
      )}
    </>
  );
}

function News({ state: { task, notice }, actions }: Pick<KeyCardProps, "state" | "actions">) {
  return (
    <>
      <p role="status" className={task ? "soft" : "visually-hidden"}>
        {task ? taskSentence(task) : ""}
      </p>
      {task?.step === "wallet" ? (
        <div className="row">
          <Button tone="quiet" onClick={actions.stopWaiting}>
            Stop waiting
          </Button>
          <span className="soft">No window? Open your wallet by its icon: the request may wait there.</span>
        </div>
      ) : null}
      {notice ? <NoticeCard notice={notice} onRetry={actions.signIn} /> : null}
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

type KeyListProps = {
  keys: Exclude<HeldKeys, { status: "unlisted" }>;
  tokenId: string;
  onPick: (tokenId: string) => void;
};

function KeyList({ keys, tokenId, onPick }: KeyListProps) {
  if (keys.status === "loading") return <p className="soft">Looking for keys in this wallet.</p>;
  return (
    <div className="row key-list" role="group" aria-label="Keys in this wallet">
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

const taskSentences = {
  mint: {
    funds: "Getting test money for the fee.",
    wallet: "Confirm the new key in your wallet.",
    chain: "Waiting for the chain to record it.",
  },
  "sign-in": {
    nonce: "Asking the server for a fresh message.",
    wallet: "Sign the message in your wallet.",
    server: "The server is checking your key.",
  },
};

function taskSentence(task: GateTask): string {
  return task.kind === "mint" ? taskSentences.mint[task.step] : taskSentences["sign-in"][task.step];
}
