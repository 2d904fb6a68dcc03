import type { GatedContent } from "~/content/content.schema";
import type { RequirementReport } from "~/gate/kinds/requirement-report";
import type { TokenStatus } from "../proofs/gate-bodies";
import type { SignedIn, SignedOut } from "~/gate/session/session.schema";
import { asRecord, readRefused } from "~/platform/refusals/notice";
import type { Refused } from "~/platform/refusals/notice";
import { findJson } from "~/platform/text/json";

export class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(
    readonly refused: Refused,
    /** The key's requirements, if they were the reason. */
    readonly requirements: RequirementReport | null = null,
  ) {
    super(`${refused.status} ${refused.title}`);
  }
}

export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** `key`: the name of its kind, omitted for the first. */
type Signed = { address: string; signature: string; tokenId: string; key?: string; vault?: string };
export type EnvelopeProof = Signed & { timestamp: number };
export type RoomProof = EnvelopeProof | (Signed & { message: string; nonce: string });
export type FormPost = EnvelopeProof & { message: string; messageHash: string };

export type Grant = { accessToken: string | null; content: GatedContent };

export type Session = Pick<SignedIn, "tokenId" | "address" | "secondsLeft" | "isRenewable"> & {
  /** Null where kinds have no names. */
  key: string | null;
  /** The wallet that holds the key, if `address` is its delegate. */
  vault: string | null;
  /** By this device's clock. */
  endsAtMs: number;
};

/** `ended`: why an earlier session is over. */
type SessionResult = { session: Session } | { session: null; ended: Refused | null };

export type GateApi = ReturnType<typeof createGateApi>;

/** `origin` is the page's own. After `timeoutMs` the server counts as unreachable. */
export function createGateApi(origin: string, timeoutMs = 30_000) {
  async function call<Body>(path: string, init: RequestInit = {}): Promise<Body> {
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
      throw new UnreachableError(`No response from ${path}`, { cause });
    }
    const { status, headers, ok } = response;
    if (!ok) throw toRefusedError({ status, headers, body });
    // A network's sign-in page also answers with 200.
    if (typeof body !== "object") throw new UnreachableError(`No JSON from ${path}`);
    return body as Body;
  }

  let lastChange: Promise<unknown> = Promise.resolve();
  /** One at a time: a pending renewal must not restore a cookie that is being cleared. */
  function changeSession(init: RequestInit): Promise<SessionResult> {
    const change = lastChange.then(async () => readSession(await call("/session", init), Date.now()));
    lastChange = change.catch(() => undefined);
    return change;
  }

  return {
    startSession: (accessToken: string) => changeSession(bearerPost(accessToken)),
    renewSession: () => changeSession(jsonPost({ renew: true })),
    endSession: () => changeSession({ method: "DELETE" }),
    findSession: async () => readSession(await call("/session"), Date.now()),

    /** The room, by the cookie alone. */
    openSession: async () => toGrant(await call("/session", jsonPost({ open: true }))),
    /** The address to continue at, on a site that this gate protects. */
    goOn: async (order: { door: string; start: string }) =>
      (await call<{ goTo: string }>("/session", jsonPost(order))).goTo,
    enter: async (proof: RoomProof) => toGrant(await call("/api/gate-access", jsonPost(proof))),
    /** The room with fresh media links, by the token alone. */
    enterAgain: async (accessToken: string) =>
      toGrant(await call("/api/gate-access", bearerPost(accessToken))),

    getNonce: async () => (await call<{ nonce: string }>("/api/nonce")).nonce,
    getTokenStatus: ({ tokenId, key }: { tokenId: string; key?: string }) => {
      const query = key === undefined ? "" : `?${new URLSearchParams({ key }).toString()}`;
      return call<TokenStatus>(`/api/token-status/${encodeURIComponent(tokenId)}${query}`);
    },

    /** Demo only: money for gas, or some of a token that a key requires. */
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

function toRefusedError(refused: Parameters<typeof readRefused>[0]): RefusedError {
  const { requirements = null } = asRecord(refused.body) as { requirements?: RequirementReport };
  return new RefusedError(readRefused(refused), requirements);
}

/** Throws unless the page's action accepted the form. */
export function requireAccepted(result: unknown): void {
  if (result === null) throw new UnreachableError("No response to the form");
  const body = typeof result === "string" ? findJson(result) : result;
  const { success, status } = asRecord(body);
  if (success !== true) throw toRefusedError({ status: Number(status), body });
}

function toGrant(body: { accessToken?: string; content: GatedContent }): Grant {
  return { accessToken: body.accessToken ?? null, content: body.content };
}

export function readSession(body: SignedIn | SignedOut, nowMs: number): SessionResult {
  if (!body.signedIn) {
    const { ended } = body;
    return { session: null, ended: ended ? readRefused({ status: ended.status, body: ended }) : null };
  }
  const { tokenId, address, key = null, vault = null, secondsLeft, isRenewable } = body;
  // The two clocks may differ.
  const endsAtMs = nowMs + secondsLeft * 1_000;
  return { session: { tokenId, address, key, vault, secondsLeft, isRenewable, endsAtMs } };
}
