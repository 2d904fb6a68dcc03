import { useEffect } from "react";
import { takeLostFocus } from "~/ui/lost-focus";

export const accountBarId = "wallet-account";

/** On unmounting: the button that was pressed is gone by then, and the focus would fall back to the page's top. */
export function useFocusOnAccountAfterwards(): void {
  useEffect(() => () => takeLostFocus(document.getElementById(accountBarId)), []);
}
