import type { GateNotice } from "../gate-notice-shape";

/** Another window of this browser holds the form. */
export const formElsewhere: GateNotice = {
  tone: "info",
  title: "The form is being sent in another window",
  detail: "A key opens the form once, so this window has asked your wallet for nothing.",
  remedy: "Finish there, or close that window and send it here.",
};

/** It is not known whether the form arrived. */
export const formUnanswered: GateNotice = {
  tone: "problem",
  title: "The server did not answer",
  detail: "The form was signed and sent, but no answer came back, so it is not certain that it arrived.",
  remedy:
    "Your words are kept here. Check your connection, then send again: if it did arrive, you get the receipt and nothing is sent twice.",
};

/** Found before the wallet is asked. */
export function keyUsedBefore({ tokenId, usedAt }: { tokenId: string; usedAt: string | null }): GateNotice {
  const when = usedAt ? ` at ${new Date(usedAt).toLocaleString()}` : "";
  return {
    tone: "problem",
    title: "This token has already been used",
    detail: `Key #${tokenId} was used${when}. Nothing was signed and nothing sent.`,
    remedy:
      "A key opens the form once. Another key of yours opens it again; if you never used this one, tell whoever runs this site.",
    pagePath: "/problems/this-token-has-already-been-used",
  };
}
