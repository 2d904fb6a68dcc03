import { useFetcher } from "@remix-run/react";
import { useCallback, useEffect, useRef } from "react";
import { requireAccepted } from "../gate-api";
import type { FormPost } from "../gate-api";
import { accountOf } from "../gate-state";
import type { GateState, GateTools } from "../gate-state";
import { toSignedKey } from "../kinds/signed-key";
import { submitForm, walletNeeded } from "./form-tasks";

/** The form that a key opens once. */
export function useForm(tools: GateTools, state: GateState, wait: () => AbortSignal) {
  const sendForm = useSendForm();
  const isSubmitting = useRef(false);
  return {
    submit(text: string) {
      const account = accountOf(state);
      // Two presses may come before the page has drawn what the first one changed.
      if (state.phase !== "inside" || !account || isSubmitting.current) return;
      isSubmitting.current = true;
      const order = { account, key: toSignedKey(tools.kinds, state.room), text, signal: wait() };
      void submitForm({ ...tools, sendForm }, order).finally(() => (isSubmitting.current = false));
    },
    /** Says beside the form why it cannot be sent, before anything has begun. */
    refuseForm() {
      const turn = tools.nextTurn();
      tools.dispatch({ type: "form-started", turn });
      tools.dispatch({ type: "failed", turn, notice: walletNeeded });
    },
  };
}

/** Sends the form to the page's action, and throws what it refuses. */
function useSendForm(): (form: FormPost) => Promise<void> {
  const { state, data, submit } = useFetcher<unknown>();
  const settle = useRef<((answer: unknown) => void) | null>(null);

  useEffect(() => {
    if (state === "idle" && data !== undefined) settle.current?.(data);
  }, [state, data]);

  return useCallback(
    async (form) => {
      const answer = new Promise((resolve) => (settle.current = resolve));
      submit(form, { method: "post", encType: "application/json" });
      requireAccepted(await answer);
    },
    [submit],
  );
}
