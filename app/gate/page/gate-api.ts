import { readRefused } from "~/platform/http/notice";
import type { Refused } from "~/platform/http/notice";
import { readGrant, readNonce, readSession, readTokenStatus } from "./gate-answers";
import type { Grant, SessionAnswer, TokenStatus } from "./gate-answers";

/** The server said no, and why. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(`${refused.status} ${refused.title}`);
    this.refused = refused;
  }
}

/** The server could not be reached at all. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

export type SiweProof = {
  address: string;
  signature: string;
  tokenId: string;
  message: string;
  nonce: string;
};
export type LegacyProof = { address: string; signature: string; tokenId: string; timestamp: number };
export type FormPost = LegacyProof & { message: string; messageHash: string };

/** The gate's routes, as the page calls them. `origin` is where the page itself came from. */
export type GateApi = ReturnType<typeof createGateApi>;

/** Milliseconds until a silent server counts as unreachable. */
const defaultTimeoutMs = 30_000;

export function createGateApi(origin: string, timeoutMs: number = defaultTimeoutMs) {
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
      body = parseJson(await response.text());
    } catch (cause) {
      throw new UnreachableError(`No answer from ${path}`, { cause });
    }
    if (response.ok) return body;
    throw new RefusedError(readRefused({ status: response.status, headers: response.headers, body }));
  }

  function post(path: string, body: unknown): Promise<unknown> {
    return call(path, jsonPost(body));
  }

  let lastChange: Promise<unknown> = Promise.resolve();
  /** One after the other: a renewal that is under way must not bring back a cookie that is being cleared. */
  function changeSession(init: RequestInit): Promise<SessionAnswer> {
    const change = lastChange.then(async () => readSession(await call("/session", init), Date.now()));
    lastChange = change.catch(() => undefined);
    return change;
  }

  return {
    /** Puts the token of a sign-in into the cookie. */
    startSession(accessToken: string): Promise<SessionAnswer> {
      return changeSession({ method: "POST", headers: { Authorization: `Bearer ${accessToken}` } });
    },

    renewSession(): Promise<SessionAnswer> {
      return changeSession(jsonPost({ renew: true }));
    },

    endSession(): Promise<SessionAnswer> {
      return changeSession({ method: "DELETE" });
    },

    async findSession(): Promise<SessionAnswer> {
      return readSession(await call("/session"), Date.now());
    },

    /** The room, on the strength of the cookie alone. */
    async openSession(): Promise<Grant> {
      return readGrant(await post("/session", { open: true }));
    },

    async getNonce(): Promise<string> {
      return readNonce(await call("/api/nonce"));
    },

    async enter(proof: SiweProof | LegacyProof): Promise<Grant> {
      return readGrant(await post("/api/gate-access", proof));
    },

    /** The room once more, with fresh media links, on the strength of the token alone. */
    async enterAgain(accessToken: string): Promise<Grant> {
      const headers = { Authorization: `Bearer ${accessToken}` };
      return readGrant(await call("/api/gate-access", { method: "POST", headers }));
    },

    async submitForm(form: FormPost): Promise<void> {
      await post("/api/form-submission-gate", form);
    },

    async getTokenStatus(tokenId: string): Promise<TokenStatus> {
      return readTokenStatus(await call(`/api/token-status/${encodeURIComponent(tokenId)}`));
    },

    /** Demo mode only: a little money for gas. */
    async askForTestFunds(address: string): Promise<void> {
      await post("/demo/faucet", { address });
    },
  };
}

function jsonPost(body: unknown): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, application/problem+json" },
    body: JSON.stringify(body),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
