import type { GatedContent } from "~/content/content.schema";
import { asRecord, readRefused, secondsOf } from "~/platform/http/notice";
import type { Refused } from "~/platform/http/notice";

/** What the API answers, read without trust: the page may be older or newer than the server it talks to. */

export type Grant = { accessToken: string | null; content: GatedContent };

export type TokenStatus = {
  tokenId: string;
  exists: boolean;
  used: boolean;
  usedBy: string | null;
  usedAt: string | null;
};

/** Who the cookie says is here. */
export type Session = {
  tokenId: string;
  /** In lower case. */
  address: string;
  /** As the server counted when it was asked. */
  secondsLeft: number;
  /** The same end by this device's clock. */
  endsAtMs: number;
  isRenewable: boolean;
};

/** `ended`: why there is none any more, where there was one. */
export type SessionAnswer = { session: Session } | { session: null; ended: Refused | null };

/** An answer that is not what the contract promises. */
export class UnreadableAnswerError extends Error {
  override readonly name = "UnreadableAnswerError";
}

export function readNonce(body: unknown): string {
  const nonce = textOf(body, "nonce");
  if (!/^[A-Za-z0-9]{8,}$/.test(nonce)) throw new UnreadableAnswerError("The nonce could not be read.");
  return nonce;
}

export function readGrant(body: unknown): Grant {
  const content = memberOf(body, "content");
  if (textOf(body, "access") !== "granted" || typeof content !== "object" || content === null) {
    throw new UnreadableAnswerError("The answer grants nothing.");
  }
  const audio = memberOf(content, "audioData");
  const audioSrc = textOf(audio, "audioSrc");
  return {
    accessToken: textOf(body, "accessToken") || null,
    content: {
      welcomeText: textOf(content, "welcomeText"),
      textSubmissionAreaHtml: textOf(content, "textSubmissionAreaHtml"),
      audioData: {
        headline: textOf(audio, "headline"),
        imageSrc: textOf(audio, "imageSrc"),
        imageAlt: textOf(audio, "imageAlt"),
        description: textOf(audio, "description"),
        title: textOf(audio, "title"),
        audioSrc,
        error: memberOf(audio, "error") === true || audioSrc === "",
      },
      styles: textOf(content, "styles"),
      script: textOf(content, "script"),
    },
  };
}

export function readTokenStatus(body: unknown): TokenStatus {
  const tokenId = memberOf(body, "tokenId");
  if (typeof tokenId !== "string" && typeof tokenId !== "number") {
    throw new UnreadableAnswerError("The status of the key could not be read.");
  }
  return {
    tokenId: String(tokenId),
    exists: memberOf(body, "exists") === true,
    used: memberOf(body, "used") === true,
    usedBy: textOf(body, "usedBy") || null,
    usedAt: textOf(body, "usedAt") || null,
  };
}

export function readSession(body: unknown, nowMs: number): SessionAnswer {
  if (memberOf(body, "signedIn") !== true) {
    const ended = memberOf(body, "ended");
    const status = Number(memberOf(ended, "status"));
    return { session: null, ended: ended ? readRefused({ status, body: ended }) : null };
  }
  const tokenId = textOf(body, "tokenId");
  const address = textOf(body, "address").toLowerCase();
  // Counted from now: the clocks of the two sides need not agree.
  const secondsLeft = secondsOf(memberOf(body, "secondsLeft"));
  if (!tokenId || !address || secondsLeft === null) {
    throw new UnreadableAnswerError("The session could not be read.");
  }
  const isRenewable = memberOf(body, "isRenewable") === true;
  return { session: { tokenId, address, secondsLeft, endsAtMs: nowMs + secondsLeft * 1_000, isRenewable } };
}

function memberOf(value: unknown, name: string): unknown {
  return asRecord(value)[name];
}

function textOf(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === "string" ? member : "";
}
