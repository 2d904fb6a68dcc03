import { createSiweMessage } from "viem/siwe";
import type { Address, Hex } from "viem";
import type { Load } from "./load-generator";
import type { Aims } from "./figures";

/** Where requests go: the server or the bare handler beside it, and who asks. */
export type Target = {
  port: number;
  chainId: number;
  accessToken: string;
  /** Keys of as many wallets, so that no two sign-ins under way share one reading of the chain. */
  holders: readonly Holder[];
  /** The bare handler checks no signature, so none is computed for it. */
  needsSignatures: boolean;
};
export type Holder = {
  tokenId: string;
  address: Address;
  sign: (request: { message: string }) => Promise<Hex>;
};

export type Operation = {
  name: string;
  slug: string;
  /** At scale 1, in each round and on each side. */
  requests: number;
  aims: Aims;
  prepare: (call: { target: Target; requests: number }) => Promise<Pick<Load, "requests" | "repeat">>;
};

const noncesAtOnce = 16;
const placeholderSignature: Hex = `0x${"1b".repeat(65)}`;

export const operations: readonly Operation[] = [
  {
    name: "GET /api/nonce",
    slug: "nonce",
    requests: 3000,
    aims: { maxRatio: 3 },
    prepare: async ({ target, requests }) => ({
      requests: [toHttp({ target, method: "GET", path: "/api/nonce" })],
      repeat: requests,
    }),
  },
  {
    name: "POST /api/gate-access, SIWE",
    slug: "siwe",
    requests: 400,
    aims: { rpcCallsPerRequest: 1, maxCpuMicros: 1000 },
    prepare: async ({ target, requests }) => ({ requests: await prepareSignIns({ target, requests }) }),
  },
  {
    name: "POST /api/gate-access, Bearer",
    slug: "bearer",
    requests: 2000,
    aims: { maxRatio: 4 },
    prepare: async ({ target, requests }) => ({
      requests: [
        toHttp({
          target,
          method: "POST",
          path: "/api/gate-access",
          headers: { Authorization: `Bearer ${target.accessToken}` },
        }),
      ],
      repeat: requests,
    }),
  },
  {
    name: "GET /api/token-status/{id}",
    slug: "status",
    requests: 3000,
    aims: { maxRatio: 3 },
    prepare: async ({ target, requests }) => ({
      requests: [toHttp({ target, method: "GET", path: `/api/token-status/${target.holders[0]!.tokenId}` })],
      repeat: requests,
    }),
  },
];

/** Signed beforehand, each with a nonce of its own, so that a round measures the server and not the wallet. */
async function prepareSignIns({ target, requests }: { target: Target; requests: number }): Promise<string[]> {
  const texts: string[] = [];
  for (let index = 0; index < requests; index += noncesAtOnce) {
    const some = Array.from({ length: Math.min(noncesAtOnce, requests - index) }, (_, offset) =>
      signIn({ target, holder: target.holders[(index + offset) % target.holders.length]! }),
    );
    texts.push(...(await Promise.all(some)));
  }
  return texts.map((body) => toHttp({ target, method: "POST", path: "/api/gate-access", body }));
}

/** The body of one sign-in, with a nonce that was just issued. */
export async function signIn({ target, holder }: { target: Target; holder: Holder }): Promise<string> {
  const origin = originOf(target);
  const answer = await fetch(`${origin}/api/nonce`);
  const { nonce } = (await answer.json()) as { nonce: string };
  const { address, tokenId } = holder;
  const { chainId, needsSignatures } = target;
  const domain = new URL(origin).host;
  const message = createSiweMessage({ address, chainId, domain, nonce, uri: origin, version: "1" });
  const signature = needsSignatures ? await holder.sign({ message }) : placeholderSignature;
  return JSON.stringify({ address, signature, tokenId, message, nonce });
}

export function originOf({ port }: Pick<Target, "port">): string {
  return `http://localhost:${port}`;
}

function toHttp({
  target,
  method,
  path,
  headers = {},
  body,
}: {
  target: Target;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}): string {
  const all: Record<string, string> = {
    Host: new URL(originOf(target)).host,
    Accept: "application/json",
    ...(body === undefined
      ? {}
      : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) }),
    ...(body === undefined && method === "POST" ? { "Content-Length": "0" } : {}),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body ?? ""].join("\r\n");
}
