import type { VisitProblem } from "~/gate/session/visit";
import { noticeForRefused, readRefused, unreached } from "~/platform/refusals/notice";
import type { PageRemedies, Refused } from "~/platform/refusals/notice";
import { RefusedError, UnreachableError } from "./gate-api";
import type { GateActivity, GateNotice } from "./wallet/wallet-notices";
import { noticeForWallet } from "./wallet/wallet-notices";

export const usedKeyRemedy =
  "A key opens the form once. Use another key, or tell whoever runs this site if you never used this one.";

const remedies: PageRemedies = {
  "authentication-failed": {
    remedy: "Sign in again with a fresh message.",
  },
  "you-do-not-own-this-token": {
    remedy:
      "Check the number of the key, and that the wallet shown here holds it. If you have none, get one first.",
  },
  "this-token-has-already-been-used": { remedy: usedKeyRemedy },
  "holding-too-recent": {
    remedy: "Nothing was used up, and your text is still here. Send the form again then.",
  },
  "wallet-not-deployed": {
    remedy:
      "Your text is still here. Deploy the wallet by sending a first transaction, then send the form again.",
  },
  "too-many-requests": { remedy: "Wait until the time below has passed, then try again." },
  "site-cookie-not-kept": {
    remedy:
      "Allow cookies for the site, then open it again in one window when the time below has passed. If it is open in another window, you are in already.",
  },
  "chain-unavailable": { remedy: "Nothing was lost. Try again in a moment." },
  "state-unavailable": { remedy: "Nothing you wrote is lost. Try again in a moment." },
  "invalid-tokenid": { remedy: "The number of a key has digits only. Correct it and try again." },
};

const requirementsRemedy =
  "Below is what this key requires and what your wallet has. Get what is missing, then check again. You’ll sign once more.";

export function noticeForProblem(problem: VisitProblem): GateNotice {
  return noticeForRefusal(readRefused({ status: problem.status, body: problem }));
}

function noticeForRefusal(refused: Refused): GateNotice {
  return { tone: "problem", ...noticeForRefused(refused, remedies) };
}

export function noticeFor(error: unknown, activity: GateActivity): GateNotice {
  if (error instanceof RefusedError) return noticeForRequest(error);
  if (error instanceof UnreachableError) {
    const detail = "This device is offline, or the site is unreachable for a moment.";
    return { tone: "problem", ...unreached, detail };
  }
  return noticeForWallet(error, activity);
}

function noticeForRequest({ refused, requirements }: RefusedError): GateNotice {
  const notice = noticeForRefusal(refused);
  if (requirements === null) return notice;
  return { ...notice, title: "Something is missing", requirements, remedy: requirementsRemedy };
}

/** Why the room closed. Null if the cookie is gone without a reason. */
export function noticeForEnd(ended: Refused | "elsewhere" | null): GateNotice {
  const title = "The room has closed";
  if (ended === "elsewhere") {
    const detail = "You have signed in with another key in another window of this browser.";
    return { tone: "info", title, detail, remedy: "Continue there, or sign in here again." };
  }
  if (ended === null) {
    const detail = "Your session has expired, or you signed out in another window.";
    return { tone: "info", title, detail, remedy: "Sign in again to continue." };
  }
  return { ...noticeForRefusal(ended), title, requestId: null };
}

export const walletLeft: GateNotice = {
  tone: "info",
  title: "The wallet is disconnected",
  detail: "It was locked, or no longer shares an account with this site.",
  remedy: "Unlock it and connect again to continue.",
};

export const otherWallet: GateNotice = {
  tone: "info",
  title: "Another wallet is connected",
  detail: "The room was opened by a key in another wallet, so it has been closed and you are signed out.",
  remedy: "Sign in with a key of this wallet, or connect the other one.",
};
