import { createSiweMessage } from "viem/siwe";
import type { Address, Hex } from "viem";
import type { Load, LoadResult } from "./load-generator";
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
  sign: (message: string) => Hex;
};

export type Operation = {
  name: string;
  slug: string;
  /** At scale 1, in each round and on each side. */
  requests: number;
  /** The engine optimises for some ten thousand requests; those are sent first and not measured. */
  warmUpRequests: number;
  aims: Aims;
  prepare: (call: PrepareCall) => Promise<Prepared>;
};
export type Prepared = Pick<Load, "requests" | "repeat">;
export type PrepareCall = {
  target: Target;
  requests: number;
  generateLoad: (load: Load) => Promise<LoadResult>;
};

const placeholderSignature: Hex = `0x${"1b".repeat(65)}`;

export const operations: readonly Operation[] = [
  {
    name: "GET /api/nonce",
    slug: "nonce",
    requests: 4000,
    warmUpRequests: 16_000,
    aims: { maxRatio: 3 },
    prepare: async ({ target, requests }) => ({
      requests: [toHttp({ target, method: "GET", path: "/api/nonce" })],
      repeat: requests,
    }),
  },
  {
    name: "POST /api/gate-access, SIWE",
    slug: "siwe",
    requests: 1000,
    warmUpRequests: 10_000,
    aims: { rpcCallsPerRequest: 1, maxCpuMicros: 1000 },
    prepare: prepareSignIns,
  },
  {
    name: "POST /api/gate-access, Bearer",
    slug: "bearer",
    requests: 3000,
    warmUpRequests: 12_000,
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
    requests: 4000,
    warmUpRequests: 16_000,
    aims: { maxRatio: 3 },
    prepare: async ({ target, requests }) => ({
      requests: [toHttp({ target, method: "GET", path: `/api/token-status/${target.holders[0]!.tokenId}` })],
      repeat: requests,
    }),
  },
];

/** Signed beforehand, each with a nonce of its own, so that a round measures the server and not the wallet. */
async function prepareSignIns({ target, requests, generateLoad }: PrepareCall): Promise<Prepared> {
  const { bodies } = await generateLoad({
    port: target.port,
    requests: [toHttp({ target, method: "GET", path: "/api/nonce" })],
    repeat: requests,
    connections: 8,
    maxSeconds: 60,
    keepBodies: true,
  });
  const texts = bodies.map((answer, index) => {
    const { nonce } = JSON.parse(answer) as { nonce: string };
    const holder = target.holders[index % target.holders.length]!;
    const body = signInBody({ target, holder, nonce });
    return toHttp({ target, method: "POST", path: "/api/gate-access", body });
  });
  return { requests: texts };
}

export function signInBody({
  target,
  holder,
  nonce,
}: {
  target: Target;
  holder: Holder;
  nonce: string;
}): string {
  const { address, tokenId } = holder;
  const { chainId, needsSignatures } = target;
  const uri = originOf(target);
  const message = createSiweMessage({
    address,
    chainId,
    domain: new URL(uri).host,
    nonce,
    uri,
    version: "1",
  });
  const signature = needsSignatures ? holder.sign(message) : placeholderSignature;
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
