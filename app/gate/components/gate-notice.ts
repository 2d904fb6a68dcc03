import { refusalTable } from "~/platform/http/refusal";
import type { RefusalEntry } from "~/platform/http/refusal";
import { ProblemError, UnreachableError } from "./gate-api";
import { UnreadableAnswerError } from "./gate-answers";
import type { Problem } from "./gate-answers";

/** Something the visitor should know: what happened, why, and what to do now. */
export type GateNotice = {
  tone: "problem" | "info";
  title: string;
  detail: string;
  remedy: string;
  /** Seconds until trying again makes sense. */
  retryAfterSeconds: number | null;
  /** A page of ours that says more. */
  pagePath: string | null;
  /** What the operator needs to find the request in the log. */
  requestId: string | null;
};

export type GateActivity = "connect" | "mint" | "sign-in" | "form" | "reload" | "status";

/** What to do, in terms of this page: the table's own remedies also speak to API clients. */
const remedies: Partial<Record<string, string>> = {
  "authentication-failed": "Start the sign-in again: the page asks for a fresh message to sign.",
  "you-do-not-own-this-token":
    "Check the number of the key, and that the wallet shown here is the one that holds it. If you have none, get one first.",
  "this-token-has-already-been-used":
    "A key opens the form once. Another key of yours opens it again; if you never used this one, tell whoever runs this site.",
  "too-many-requests": "Wait until the time below has passed, then try again.",
  "chain-unavailable": "Nothing was lost or decided. Try again in a moment.",
  "state-unavailable": "Nothing was lost or decided. Try again in a moment.",
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
  detail: "It was disconnected or locked, so the page has forgotten it and everything it opened.",
  remedy: "Connect it again to go on.",
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

const rejectedTitles: Record<GateActivity, string> = {
  connect: "You did not connect the wallet",
  mint: "You did not confirm the new key",
  "sign-in": "You did not sign the message",
  form: "You did not sign the form",
  reload: "You did not sign the message",
  status: "The wallet refused",
};

const failedTitles: Record<GateActivity, string> = {
  connect: "The wallet could not be connected",
  mint: "The key could not be made",
  "sign-in": "The wallet could not sign the message",
  form: "The wallet could not sign the form",
  reload: "The room could not be loaded again",
  status: "The status could not be read",
};

function noticeForWallet({ error, activity }: { error: unknown; activity: GateActivity }): GateNotice {
  const code = findErrorCode(error);
  if (code === userRejected) {
    return {
      ...problem({
        title: rejectedTitles[activity],
        detail: "The wallet reports that the request was turned down. Nothing was sent.",
        remedy: "If that was not what you meant, press the button again and confirm in the wallet.",
      }),
      tone: "info",
    };
  }
  if (code === alreadyPending) {
    return problem({
      title: "The wallet is still asking",
      detail: "An earlier request is open in your wallet.",
      remedy: "Open the wallet, answer that request, then try again here.",
    });
  }
  return problem({
    title: failedTitles[activity],
    detail: shortMessageOf(error),
    remedy: "Look at the wallet: it may be locked, on another chain, or short of funds. Then try again.",
  });
}

/** EIP-1193: the person said no. */
const userRejected = 4001;
/** The wallet shows one request at a time. */
const alreadyPending = -32002;

/** Wallet libraries wrap the wallet's own error, so the code that tells may lie a few causes deep. */
function findErrorCode(error: unknown): number | null {
  let found: number | null = null;
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth += 1) {
    const { code, cause } = current as { code?: unknown; cause?: unknown };
    if (code === userRejected || code === alreadyPending) return code;
    if (typeof code === "number") found ??= code;
    current = cause;
  }
  return found;
}

function shortMessageOf(error: unknown): string {
  const { shortMessage, message } = (error ?? {}) as { shortMessage?: unknown; message?: unknown };
  const text = typeof shortMessage === "string" ? shortMessage : message;
  // Some wallets put whole requests into their messages; the first line is the sentence for people.
  const firstLine = typeof text === "string" ? text.split("\n")[0]?.trim() : "";
  return firstLine ? firstLine.slice(0, 300) : "The wallet gave no reason.";
}

function problem({ title, detail, remedy }: { title: string; detail: string; remedy: string }): GateNotice {
  return { tone: "problem", title, detail, remedy, retryAfterSeconds: null, pagePath: null, requestId: null };
}
