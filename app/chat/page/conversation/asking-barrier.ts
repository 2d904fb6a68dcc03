import { createContext, useContext } from "react";

/** Why nothing may be asked right now, whatever it is and from wherever. */
export type AskingBarrier = "sign-in" | "quota" | "offline";

export const barrierWords: Record<AskingBarrier, string> = {
  "sign-in": "Sign in at the gate first.",
  quota: "Wait until the next quota window begins.",
  offline: "Wait until the connection is back.",
};

export const AskingBarrierContext = createContext<AskingBarrier | null>(null);

export function useAskingBarrier(): AskingBarrier | null {
  return useContext(AskingBarrierContext);
}

/** The one that lasts longest is named first: the others may be over before it. */
export function chooseBarrier({
  mustSignIn,
  isWalled,
  isOnline,
}: {
  mustSignIn: boolean;
  isWalled: boolean;
  isOnline: boolean;
}): AskingBarrier | null {
  if (mustSignIn) return "sign-in";
  if (isWalled) return "quota";
  return isOnline ? null : "offline";
}
