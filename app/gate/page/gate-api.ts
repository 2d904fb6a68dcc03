import type { GatedContent } from "~/content/content.schema";
import type { TokenStatus } from "~/gate/proofs/gate.schema";
import type { SignedIn } from "~/gate/session/session.schema";
import { asRecord, readRefused, secondsOf } from "~/platform/refusals/notice";
import type { Refused } from "~/platform/refusals/notice";
import { findJson } from "~/platform/text/json";
import { readRequirements } from "./kinds/requirement-tree";
import type { RequirementNode } from "./kinds/requirement-tree";

export class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(
    readonly refused: Refused,
    /** What the key asks for, and what of it was not met; null where the refusal is for another reason. */
    readonly requirements: RequirementNode | null = null,
  ) {
    super(`${refused.status} ${refused.title}`);
  }
}

export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** An answer that is not what the contract promises. */
export class UnreadableAnswerError extends Error {
  override readonly name = "UnreadableAnswerError";
}

/** Which key is meant, and who signed for it. `key`: the name of its kind, absent for the first. */
type Signed = { address: string; signature: string; tokenId: string; key?: string; vault?: string };
export type EnvelopeProof = Signed & { timestamp: number };
export type RoomProof = EnvelopeProof | (Signed & { message: string; nonce: string });
export type FormPost = EnvelopeProof & { message: string; messageHash: string };

export type Grant = { accessToken: string | null; content: GatedContent };

export type Session = Pick<SignedIn, "tokenId" | "address" | "secondsLeft" | "isRenewable"> & {
  /** The kind of the key; null where kinds have no names. */
  key: string | null;
  /** The wallet that holds the key, in lower case, where it is another one than `address`. */
  vault: string | null;
  /** Of this device's clock. */
  endsAtMs: number;
};

/** `ended`: why there is none any more, where there was one. */
export type SessionAnswer = { session: Session } | { session: null; ended: Refused | null };

/** The gate's routes, as the page calls them. `origin` is where the page itself came from. */
export type GateApi = ReturnType<typeof createGateApi>;

/** A server that is silent for `timeoutMs` counts as unreachable. */
export function createGateApi(origin: string, timeoutMs = 30_000) {
  async function call(path: string, init: RequestInit = {}): Promise<unknown> {
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(new URL(path, origin), {
        ...init,
        credentials: "same-origin",
        cache: "no-store",
        signal: AbortSignal.timeout(timeoutMs),
      });
      body = findJson(await response.text());
    } catch (cause) {
      throw new UnreachableError(`No answer from ${path}`, { cause });
    }
    if (response.ok) return body;
    const refused = readRefused({ status: response.status, headers: response.headers, body });
    throw new RefusedError(refused, readRequirements(asRecord(body).requirements));
  }

  let lastChange: Promise<unknown> = Promise.resolve();
  /** One after the other: a renewal that is under way must not bring back a cookie that is being cleared. */
  function changeSession(init: RequestInit): Promise<SessionAnswer> {
    const change = lastChange.then(async () => readSession(await call("/session", init), Date.now()));
    lastChange = change.catch(() => undefined);
    return change;
  }

  return {
    startSession: (accessToken: string) => changeSession(bearerPost(accessToken)),
    renewSession: () => changeSession(jsonPost({ renew: true })),
    endSession: () => changeSession({ method: "DELETE" }),
    findSession: async () => readSession(await call("/session"), Date.now()),

    /** The room, on the strength of the cookie alone. */
    openSession: async () => readGrant(await call("/session", jsonPost({ open: true }))),
    /** Where to go on to, on a site that this gate opens. */
    goOn: async (order: { door: string; start: string }) => {
      const { goTo } = readTexts(await call("/session", jsonPost(order)), ["goTo"]);
      if (!/^https?:\/\//.test(goTo)) throw new UnreadableAnswerError("The way on could not be read.");
      return goTo;
    },
    enter: async (proof: RoomProof) => readGrant(await call("/api/gate-access", jsonPost(proof))),
    /** The room once more, with fresh media links, on the strength of the token alone. */
    enterAgain: async (accessToken: string) =>
      readGrant(await call("/api/gate-access", bearerPost(accessToken))),

    getNonce: async () => readNonce(await call("/api/nonce")),
    /** `key`: the kind's name; absent for the first. */
    getTokenStatus: async ({ tokenId, key }: { tokenId: string; key?: string }) => {
      const query = key === undefined ? "" : `?${new URLSearchParams({ key }).toString()}`;
      return readTokenStatus(await call(`/api/token-status/${encodeURIComponent(tokenId)}${query}`));
    },

    /** Demo mode only: a little money for gas, or some of a token that a key asks for. */
    askForTestFunds: (address: string, token?: string) =>
      call("/demo/faucet", jsonPost({ address, ...(token && { token }) })),
  };
}

function jsonPost(body: unknown): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, application/problem+json" },
    body: JSON.stringify(body),
  };
}

function bearerPost(accessToken: string): RequestInit {
  return { method: "POST", headers: { Authorization: `Bearer ${accessToken}` } };
}

/** The page's action answers the form with it; null when nothing came. */
export function requireAccepted(answer: unknown): void {
  if (answer === null) throw new UnreachableError("No answer to the form");
  const body = typeof answer === "string" ? findJson(answer) : answer;
  const { success, status } = asRecord(body);
  if (success !== true) throw new RefusedError(readRefused({ status: Number(status), body }));
}

// What the API answers is read without trust: the page may be older or newer than the server.

function readNonce(body: unknown): string {
  const { nonce } = readTexts(body, ["nonce"]);
  if (!/^[A-Za-z0-9]{8,}$/.test(nonce)) throw new UnreadableAnswerError("The nonce could not be read.");
  return nonce;
}

function readGrant(body: unknown): Grant {
  const { content } = asRecord(body);
  const { access, accessToken } = readTexts(body, ["access", "accessToken"]);
  if (access !== "granted" || typeof content !== "object" || content === null) {
    throw new UnreadableAnswerError("The answer grants nothing.");
  }
  const { audioData } = asRecord(content);
  const sound = ["headline", "imageSrc", "imageAlt", "description", "title", "audioSrc"] as const;
  const audio = readTexts(audioData, sound);
  return {
    accessToken: accessToken || null,
    content: {
      ...readTexts(content, ["welcomeText", "textSubmissionAreaHtml", "styles", "script"]),
      audioData: { ...audio, error: asRecord(audioData).error === true || audio.audioSrc === "" },
    },
  };
}

export function readTokenStatus(body: unknown): Omit<TokenStatus, "count"> {
  const { tokenId, exists, used } = asRecord(body);
  if (typeof tokenId !== "string" && typeof tokenId !== "number") {
    throw new UnreadableAnswerError("The status of the key could not be read.");
  }
  const { usedBy, usedAt } = readTexts(body, ["usedBy", "usedAt"]);
  return {
    tokenId: String(tokenId),
    exists: exists === true,
    used: used === true,
    usedBy: usedBy || null,
    usedAt: usedAt || null,
  };
}

export function readSession(body: unknown, nowMs: number): SessionAnswer {
  const answer = asRecord(body);
  if (answer.signedIn !== true) {
    const status = Number(asRecord(answer.ended).status);
    return { session: null, ended: answer.ended ? readRefused({ status, body: answer.ended }) : null };
  }
  const { tokenId, address, key, vault } = readTexts(answer, ["tokenId", "address", "key", "vault"]);
  // Counted from now: the clocks of the two sides need not agree.
  const secondsLeft = secondsOf(answer.secondsLeft);
  if (!tokenId || !address || secondsLeft === null) {
    throw new UnreadableAnswerError("The session could not be read.");
  }
  const endsAtMs = nowMs + secondsLeft * 1_000;
  const isRenewable = answer.isRenewable === true;
  const whose = {
    tokenId,
    address: address.toLowerCase(),
    key: key || null,
    vault: vault.toLowerCase() || null,
  };
  return { session: { ...whose, secondsLeft, endsAtMs, isRenewable } };
}

/** Empty texts for the members that are not there. */
function readTexts<Name extends string>(value: unknown, names: readonly Name[]): Record<Name, string> {
  const record = asRecord(value);
  const textOf = (name: Name) => (typeof record[name] === "string" ? record[name] : "");
  return Object.fromEntries(names.map((name) => [name, textOf(name)])) as Record<Name, string>;
}
