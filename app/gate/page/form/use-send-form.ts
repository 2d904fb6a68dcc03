import { useFetcher } from "@remix-run/react";
import { useCallback, useEffect, useRef } from "react";
import { requireAccepted } from "../gate-api";
import type { FormPost } from "../gate-api";

/** Sends the form to the page's action, and throws what it refuses. */
export function useSendForm(): (form: FormPost) => Promise<void> {
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
