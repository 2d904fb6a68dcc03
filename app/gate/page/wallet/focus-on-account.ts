import { useEffect } from "react";
import { takeLostFocus } from "~/ui/lost-focus";

export const accountBarId = "wallet-account";

/** On unmounting, the pressed button is gone and the focus would be lost. */
export function useFocusOnAccountAfterwards(): void {
  useEffect(() => () => takeLostFocus(document.getElementById(accountBarId)), []);
}
