import { refusalTable } from "~/platform/http/refusal";
import type { RefusalEntry } from "~/platform/http/refusal";
import { ProblemError, UnreachableError } from "./gate-api";
import { UnreadableAnswerError } from "./gate-answers";
import type { Problem } from "./gate-answers";
import { noticeForWallet } from "./wallet-notice";
import type { GateActivity, GateNotice } from "./gate-notice-shape";

/** What to do, in terms of this page: the table's own remedies also speak to API clients. */
const remedies: Partial<Record<string, string>> = {
  "authentication-failed": "Start the sign-in again: the page asks for a fresh message to sign.",
  "you-do-not-own-this-token":
    "Check the number of the key, and that the wallet shown here is the one that holds it. If you have none, get one first.",
  "this-token-has-already-been-used":
    "A key opens the form once. Another key of yours opens it again; if you never used this one, tell whoever runs this site.",
  "too-many-requests": "Wait until the time below has passed, then try again.",
  "chain-unavailable": "Nothing was lost or decided. Try again in a moment.",
  // What became of the request is in the answer's own words: now and then nobody knows.
  "state-unavailable": "Nothing you wrote is lost. Try again in a moment.",
  "invalid-tokenid": "The number of a key is written in digits only. Correct it and try again.",
};

export function noticeFor({ error, activity }: { error: unknown; activity: GateActivity }): GateNotice {
  if (error instanceof ProblemError) return noticeForProblem(error);
  if (error instanceof UnreachableError) {
    return problem({
      title: "The server did not answer",
      detail: "Either this device is offline, or the site is away for a moment.",
      remedy: "Check your connection and try again.",
    });
  }
  if (error instanceof UnreadableAnswerError) {
    return problem({
      title: "The answer could not be read",
      detail: error.message,
      remedy: "Reload the page: it may be older than the server.",
    });
  }
  return noticeForWallet({ error, activity });
}

function noticeForProblem({ problem: { slug, ...rest } }: ProblemError): GateNotice {
  const entry = (Object.values(refusalTable) as RefusalEntry[]).find((candidate) => candidate.slug === slug);
  return {
    tone: "problem",
    title: rest.title,
    detail: rest.detail,
    remedy:
      remedies[slug] ?? entry?.remedy ?? "Try again; if it stays like this, tell whoever runs this site.",
    retryAfterSeconds: rest.retryAfterSeconds,
    pagePath: entry ? rest.pagePath : null,
    requestId: rest.status >= 500 ? rest.requestId : null,
  };
}

/** Why the room has closed by itself. Null: the cookie is gone, and nobody said why. */
export function noticeForEnd(ended: Problem | "elsewhere" | null): GateNotice {
  const title = "The room has closed";
  if (ended === "elsewhere") {
    const detail = "You have signed in with another key in another window of this browser.";
    return { ...problem({ title, detail, remedy: "Go on there, or sign in here again." }), tone: "info" };
  }
  if (ended === null) {
    const detail = "Your session is over: its time has run out, or you signed out in another window.";
    return { ...problem({ title, detail, remedy: "Sign in again to go on." }), tone: "info" };
  }
  return { ...noticeForProblem(new ProblemError(ended)), title, requestId: null };
}

export const walletLeft: GateNotice = {
  tone: "info",
  title: "The wallet is disconnected",
  detail: "It was locked, or told to share nothing with this site any more.",
  remedy: "Unlock it and connect again to go on.",
  retryAfterSeconds: null,
  pagePath: null,
  requestId: null,
};

export const otherWallet: GateNotice = {
  ...walletLeft,
  title: "Another wallet is connected",
  detail: "The room was opened by a key in another wallet, so it has been closed and you are signed out.",
  remedy: "Sign in with a key of this wallet, or connect the other one.",
};

/** The form is signed anew each time. */
export const walletNeeded: GateNotice = {
  ...problem({
    title: "The form needs your wallet",
    detail: "You are signed in, but no wallet is connected, and the form is signed with the wallet.",
    remedy: "Connect the wallet that holds the key, above, then send the form.",
  }),
  tone: "info",
};

function problem({ title, detail, remedy }: { title: string; detail: string; remedy: string }): GateNotice {
  return { tone: "problem", title, detail, remedy, retryAfterSeconds: null, pagePath: null, requestId: null };
}
