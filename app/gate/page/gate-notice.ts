import type { VisitProblem } from "~/gate/session/visit";
import { noticeForRefused, readRefused, unreached } from "~/platform/refusals/notice";
import type { PageRemedies, Refused } from "~/platform/refusals/notice";
import { RefusedError, UnreachableError, UnreadableAnswerError } from "./gate-api";
import type { GateActivity, GateNotice } from "./wallet/wallet-notices";
import { noticeForWallet } from "./wallet/wallet-notices";

export const usedKeyRemedy =
  "A key opens the form once. Another key of yours opens it again; if you never used this one, tell whoever runs this site.";

const remedies: PageRemedies = {
  "authentication-failed": {
    remedy: "Start the sign-in again: the page asks for a fresh message to sign.",
  },
  "you-do-not-own-this-token": {
    remedy:
      "Check the number of the key, and that the wallet shown here is the one that holds it. If you have none, get one first.",
  },
  "this-token-has-already-been-used": { remedy: usedKeyRemedy },
  "holding-too-recent": {
    remedy: "Nothing was used up, and your words are kept here. Send the form again then.",
  },
  "wallet-not-deployed": {
    remedy:
      "Your words are kept here. Send a first transaction with this wallet, which deploys it, then send the form again.",
  },
  "too-many-requests": { remedy: "Wait until the time below has passed, then try again." },
  "site-cookie-not-kept": {
    remedy:
      "Allow cookies for the site, and open it again in one window when the time below has passed. If another window of it is open, you are in already.",
  },
  "chain-unavailable": { remedy: "Nothing was lost or decided. Try again in a moment." },
  // The answer's own text says whether the request took effect, which is not always known.
  "state-unavailable": { remedy: "Nothing you wrote is lost. Try again in a moment." },
  "invalid-tokenid": { remedy: "The number of a key is written in digits only. Correct it and try again." },
};

const requirementsRemedy =
  "See below what is asked for and what of it this wallet has. Get what is missing, then check again: it is read again, and you are asked to sign once more.";

/** For a refusal that came with the page itself. */
export function noticeForProblem(problem: VisitProblem): GateNotice {
  return noticeForRefusal(readRefused({ status: problem.status, body: problem }));
}

function noticeForRefusal(refused: Refused): GateNotice {
  return { tone: "problem", ...noticeForRefused(refused, remedies) };
}

export function noticeFor(error: unknown, activity: GateActivity): GateNotice {
  if (error instanceof RefusedError) return noticeForRequest(error);
  if (error instanceof UnreachableError) {
    const detail = "Either this device is offline, or the site is away for a moment.";
    return { tone: "problem", ...unreached, detail };
  }
  if (error instanceof UnreadableAnswerError) {
    return {
      tone: "problem",
      title: "The answer could not be read",
      detail: error.message,
      remedy: "Reload the page: it may be older than the server.",
    };
  }
  return noticeForWallet(error, activity);
}

/** What is missing is told by the requirements, one by one. */
function noticeForRequest({ refused, requirements }: RefusedError): GateNotice {
  const notice = noticeForRefusal(refused);
  if (requirements === null) return notice;
  return { ...notice, title: "Something is missing", requirements, remedy: requirementsRemedy };
}

/** Why the room has closed by itself. Null: the cookie is gone, and nobody said why. */
export function noticeForEnd(ended: Refused | "elsewhere" | null): GateNotice {
  const title = "The room has closed";
  if (ended === "elsewhere") {
    const detail = "You have signed in with another key in another window of this browser.";
    return { tone: "info", title, detail, remedy: "Go on there, or sign in here again." };
  }
  if (ended === null) {
    const detail = "Your session has expired, or you signed out in another window.";
    return { tone: "info", title, detail, remedy: "Sign in again to go on." };
  }
  return { ...noticeForRefusal(ended), title, requestId: null };
}

export const walletLeft: GateNotice = {
  tone: "info",
  title: "The wallet is disconnected",
  detail: "It was locked, or told to share nothing with this site any more.",
  remedy: "Unlock it and connect again to go on.",
};

export const otherWallet: GateNotice = {
  tone: "info",
  title: "Another wallet is connected",
  detail: "The room was opened by a key in another wallet, so it has been closed and you are signed out.",
  remedy: "Sign in with a key of this wallet, or connect the other one.",
};
