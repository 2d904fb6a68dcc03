import { useState } from "react";
import type { FormEvent, RefObject } from "react";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import type { StateIn } from "../gate-state";
import type { PageKind } from "../kinds/page-kind";
import { vaultFault } from "../kinds/vault-field";
import type { GateActions } from "../use-gate";
import { tokenIdFault } from "./token-id-text";

type KeyFormOptions = {
  kind: PageKind;
  state: StateIn<"connected">;
  actions: GateActions;
  card: RefObject<HTMLElement>;
  /** Around the number of the key. */
  field: RefObject<HTMLElement>;
};

/** What was typed is judged when it is sent, and the focus goes to what is wrong. */
export function useKeyForm({ kind, state, actions, card, field }: KeyFormOptions) {
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
    if (typedFault) focusField();
    else if (kind.takesDelegates && vaultFault(choice.vault)) findIn('input[name="vault"]')?.focus();
    // Asked earlier, the server would only refuse again, after another signature.
    else if (waitSeconds > 0) findIn(".notice-place")?.focus();
    else actions.signIn();
  }

  function findIn(selector: string): HTMLElement | null {
    return card.current?.querySelector<HTMLElement>(selector) ?? null;
  }

  function focusField() {
    // A collapsed element cannot take the focus.
    field.current?.closest("details")?.setAttribute("open", "");
    field.current?.querySelector("input")?.focus();
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
