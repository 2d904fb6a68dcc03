import { useEffect, useRef, useState } from "react";
import type { FormEvent, RefObject } from "react";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { takeLostFocus } from "~/ui/lost-focus";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import type { Connected } from "../gate-state";
import {
  chosenKey,
  chosenKind,
  findingOf,
  keysOf,
  tokenIdFault,
  vaultFault,
  usabilityOf,
} from "../kinds/key-choice";
import { KindChoice } from "../kinds/kind-choice";
import type { PageKind, PageKinds } from "../kinds/page-kind";
import { RequirementList } from "../kinds/requirement-list";
import type { GateActions } from "../use-gate";
import { MintButton, News, SignInExplained } from "./key-news";
import { Ways, holdsNone } from "./key-ways";

type KeyCardProps = {
  settings: PublicSettings;
  kinds: PageKinds;
  signsSiwe: boolean;
  state: Connected;
  actions: GateActions;
};

export function KeyCard({ settings, kinds, signsSiwe, state, actions }: KeyCardProps) {
  const { account, choice, task } = state;
  const kind = chosenKind(kinds, choice);
  const keys = keysOf(choice, kind);
  const isMembership = kind.standard === "membership";
  const isMintable = settings.mode === "demo" && kind.name === kinds[0].name;
  const isWithout = !isMembership && holdsNone(keys);
  const offer = offerOf(kind, kinds, settings);
  const isMissing = isMembership && usabilityOf(kind, findingOf(choice, kind)) === "unmet";
  // After a refusal the next step is in its notice.
  const isRefused = Boolean(state.notice?.requirements);
  const isLater = isRefused || isMissing || (isWithout && (isMintable || offer !== null));
  const key = chosenKey(kinds, state);
  const card = useRef<HTMLDivElement>(null);
  const form = useKeyForm({ kind, state, actions, card });
  // The button that had the focus may be gone.
  useEffect(() => takeLostFocus(card.current, { preventScroll: true }), [isWithout]);

  const parts = {
    number: (
      <Field
        label="Number of the key"
        fault={form.fault}
        name="tokenId"
        inputMode="numeric"
        autoComplete="off"
        value={choice.tokenId}
        onChange={(event) => form.typeTokenId(event.target.value)}
      />
    ),
    signIn: (
      <Button
        type="submit"
        tone={isLater ? "quiet" : "primary"}
        busy={task?.kind === "sign-in"}
        blocked={task !== null}
      >
        {task?.kind === "sign-in" ? "Signing in" : "Sign in"}
      </Button>
    ),
    vault: kind.takesDelegates ? (
      <VaultField value={choice.vault} isJudged={form.isJudged} onType={form.typeVault} />
    ) : null,
    mint: isMintable ? <MintButton isNext={isWithout} task={task} onMint={actions.mint} /> : null,
    news: <News state={state} settings={settings} actions={actions} />,
    requirements: <WalletRequirements kind={kind} settings={settings} state={state} actions={actions} />,
    explained: form.typedFault ? null : (
      <SignInExplained address={account.address} signedKey={key} signsSiwe={signsSiwe} />
    ),
  };

  return (
    <div ref={card} tabIndex={-1} className="focus-place">
      <Card title={key.opensRoom ? "Open the room with a key" : "Sign in with a key"}>
        <form className="stack-close key-form" onSubmit={form.submit} noValidate>
          {kinds.length > 1 ? (
            <KindChoice
              kinds={kinds}
              settings={settings}
              choice={choice}
              isBlocked={task !== null}
              onChoose={actions.chooseKind}
            />
          ) : null}
          <Ways
            kind={kind}
            chain={kind.chainId === settings.chainId ? settings.wallets.chain.name : null}
            offer={offer}
            keys={keys}
            signedKey={key}
            isMissing={isMissing}
            parts={parts}
            onPick={form.typeTokenId}
          />
        </form>
      </Card>
    </div>
  );
}

type KeyFormOptions = Pick<KeyCardProps, "state" | "actions"> & {
  kind: PageKind;
  card: RefObject<HTMLElement>;
};

/** Checks what was typed when it is submitted, and moves the focus to what is wrong. */
function useKeyForm({ kind, state, actions, card }: KeyFormOptions) {
  const { choice, task, notice } = state;
  const [fault, setFault] = useState<string | null>(null);
  const [isJudged, setJudged] = useState(false);
  const waitSeconds = useSecondsUntil(notice?.retryAtMs ?? null);
  const typedFault = kind.standard === "membership" ? null : tokenIdFault(choice.tokenId);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (task) return;
    setFault(typedFault);
    setJudged(true);
    if (typedFault) focus('input[name="tokenId"]');
    else if (kind.takesDelegates && vaultFault(choice.vault)) focus('input[name="vault"]');
    // The server would refuse again, after another signature.
    else if (waitSeconds > 0) focus(".notice-place");
    else actions.signIn();
  }

  function focus(selector: string) {
    const found = card.current?.querySelector<HTMLElement>(selector);
    // A collapsed element can't take the focus.
    found?.closest("details")?.setAttribute("open", "");
    found?.focus();
  }

  function typeTokenId(tokenId: string) {
    setFault(null);
    actions.typeTokenId({ tokenId, kindName: kind.name });
  }

  function typeVault(vault: string) {
    setJudged(false);
    actions.typeVault({ vault, kindName: kind.name });
  }

  return { fault, isJudged, typedFault, submit, typeTokenId, typeVault };
}

type VaultFieldProps = { value: string; isJudged: boolean; onType: (vault: string) => void };

/** For visitors whose key is in another wallet that named this one as its delegate. */
function VaultField({ value, isJudged, onType }: VaultFieldProps) {
  return (
    <details className="unfold" open={value !== "" || undefined}>
      <summary>The key is in another wallet of yours</summary>
      <Field
        label="Wallet that holds the key"
        hint="The key stays there. This wallet signs, if the other one has named it as its delegate at delegate.xyz."
        name="vault"
        autoComplete="off"
        spellCheck={false}
        fault={isJudged ? vaultFault(value) : null}
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    </details>
  );
}

/** The setting applies to the first kind. In the keys file each kind has its own offer. */
function offerOf({ name, get }: PageKind, kinds: PageKinds, { wallets }: PublicSettings) {
  if (get || name !== kinds[0].name || wallets.keyShopUrl === null) return get;
  return { url: wallets.keyShopUrl, text: "Get a key" };
}

type WalletRequirementsProps = { kind: PageKind } & Pick<KeyCardProps, "settings" | "state" | "actions">;

/** As read through the wallet's network. After a refusal, the notice shows the server's own check. */
function WalletRequirements({ kind, settings, state: { choice, notice }, actions }: WalletRequirementsProps) {
  const found = findingOf(choice, kind)?.requirement;
  if (!found || notice?.requirements) return null;
  return (
    <div className="stack-close asked">
      <RequirementList
        requirements={found}
        source="wallet"
        settings={settings}
        onGetDemoToken={actions.getDemoToken}
      />
      <div className="row">
        <Button tone="quiet" onClick={actions.lookAgain}>
          Look again
        </Button>
      </div>
    </div>
  );
}
