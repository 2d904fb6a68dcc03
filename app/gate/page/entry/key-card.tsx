import { useEffect, useRef } from "react";
import type { RefObject } from "react";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { takeLostFocus } from "~/ui/lost-focus";
import type { GateTask, StateIn } from "../gate-state";
import { chosenKey, chosenKind, findingOf, keysOf } from "../kinds/key-choice";
import { KindChoice } from "../kinds/kind-choice";
import { usabilityOf } from "../kinds/kind-order";
import type { PageKind, PageKinds } from "../kinds/page-kind";
import { RequirementList } from "../kinds/requirement-list";
import { VaultField } from "../kinds/vault-field";
import type { GateActions } from "../use-gate";
import { MintButton, News } from "./key-news";
import { Ways, holdsNone } from "./key-ways";
import { SignInExplained } from "./sign-in-explained";
import { useKeyForm } from "./use-key-form";

type KeyCardProps = {
  settings: PublicSettings;
  kinds: PageKinds;
  signsSiwe: boolean;
  state: StateIn<"connected">;
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
  // After a refusal the next step stands in its notice.
  const isRefused = Boolean(state.notice?.requirements);
  const isLater = isRefused || isMissing || (isWithout && (isMintable || offer !== null));
  const key = chosenKey(kinds, state);
  const card = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const form = useKeyForm({ kind, state, actions, card, field });
  // The page has changed under the visitor: what they pressed is gone, and this is what comes next.
  useEffect(() => takeLostFocus(card.current, { preventScroll: true }), [isWithout]);

  const parts = {
    number: (
      <NumberField field={field} fault={form.fault} tokenId={choice.tokenId} onType={form.typeTokenId} />
    ),
    signIn: <SignInButton task={task} isLater={isLater} />,
    vault: kind.takesDelegates ? (
      <VaultField value={choice.vault} isJudged={form.isJudged} onType={form.typeVault} />
    ) : null,
    mint: isMintable ? <MintButton isNext={isWithout} task={task} onMint={actions.mint} /> : null,
    news: <News state={state} settings={settings} actions={actions} />,
    asked: <Asked kind={kind} settings={settings} state={state} actions={actions} />,
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

type NumberFieldProps = {
  field: RefObject<HTMLDivElement>;
  fault: string | null;
  tokenId: string;
  onType: (tokenId: string) => void;
};

function NumberField({ field, fault, tokenId, onType }: NumberFieldProps) {
  return (
    <div ref={field}>
      <Field
        label="Number of the key"
        fault={fault}
        name="tokenId"
        inputMode="numeric"
        autoComplete="off"
        value={tokenId}
        onChange={(event) => onType(event.target.value)}
      />
    </div>
  );
}

/** `isLater`: something else has to be done first. */
function SignInButton({ task, isLater }: { task: GateTask | null; isLater: boolean }) {
  const isSigningIn = task?.kind === "sign-in";
  return (
    <Button type="submit" tone={isLater ? "quiet" : "primary"} busy={isSigningIn} blocked={task !== null}>
      {isSigningIn ? "Signing in" : "Sign in"}
    </Button>
  );
}

/** The setting is of the first kind; in the file each has its own. */
function offerOf({ name, get }: PageKind, kinds: PageKinds, { wallets }: PublicSettings) {
  if (get || name !== kinds[0].name || wallets.keyShopUrl === null) return get;
  return { url: wallets.keyShopUrl, text: "Get a key" };
}

type AskedProps = { kind: PageKind } & Pick<KeyCardProps, "settings" | "state" | "actions">;

/** By what the wallet's own network says; after a refusal the server's word stands in its notice. */
function Asked({ kind, settings, state: { choice, notice }, actions }: AskedProps) {
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
