import type { GatedContent } from "~/content/content.schema";

/** What the API answers, read without trust: the page may be older or newer than the server it talks to. */

export type Grant = { accessToken: string | null; content: GatedContent };

export type TokenStatus = {
  tokenId: string;
  exists: boolean;
  used: boolean;
  usedBy: string | null;
  usedAt: string | null;
};

/** The members of a Problem Details body that the page shows. */
export type Problem = {
  slug: string;
  title: string;
  status: number;
  detail: string;
  /** The page about this kind of problem, on this very origin; null when the server named none. */
  pagePath: string | null;
  retryAfterSeconds: number | null;
  requestId: string | null;
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
export type SessionAnswer = { session: Session } | { session: null; ended: Problem | null };

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

export function readSession({ body, nowMs }: { body: unknown; nowMs: number }): SessionAnswer {
  if (memberOf(body, "signedIn") !== true) {
    const ended = memberOf(body, "ended");
    const status = Number(memberOf(ended, "status"));
    return { session: null, ended: ended ? readProblem({ body: ended, status, retryAfter: null }) : null };
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

/** A refusal in words, even where something between us and the server answered in its place. */
export function readProblem({
  body,
  status,
  retryAfter,
}: {
  body: unknown;
  status: number;
  /** The Retry-After header, if there was one. */
  retryAfter: string | null;
}): Problem {
  const type = textOf(body, "type");
  const slug = /\/problems\/([a-z0-9-]+)$/.exec(type)?.[1] ?? "";
  return {
    slug,
    title: textOf(body, "title") || `The server answered ${status}`,
    status,
    detail: textOf(body, "detail") || "It gave no further reason.",
    pagePath: slug ? `/problems/${slug}` : null,
    retryAfterSeconds: secondsOf(memberOf(body, "retryAfter")) ?? secondsOf(retryAfter),
    requestId: textOf(body, "instance") || null,
  };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function textOf(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === "string" ? member : "";
}

function secondsOf(value: unknown): number | null {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
}
