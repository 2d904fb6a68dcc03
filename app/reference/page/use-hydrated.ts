import { useSyncExternalStore } from "react";

/** Whether scripts run here: what needs them is drawn only then. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
