import type { Address, Hex } from "viem";
import type { Aims } from "../figures";
import type { Load, LoadResult } from "../load-generator";

/** Where requests go, and who asks. */
export type Target = {
  port: number;
  chainId: number;
  accessToken: string;
  /** Of somebody who signed in to the operator's view; empty where nobody did. */
  operatorCookie: string;
  /** Keys of as many wallets, so that no two sign-ins under way share one reading of the chain. */
  holders: readonly Holder[];
  /** Keys that nobody has used yet at this target; each is given once. */
  takeUnusedKeys: (count: number) => Holder[];
  /** Not every side checks signatures, and for those that do not, none is computed. */
  needsSignatures: boolean;
};
export type Holder = {
  tokenId: string;
  address: Address;
  sign: (message: string) => Hex;
};

/** `countRpcCalls`: for a side that asks the chain. */
export type Side = { target: Target; pid: number; countRpcCalls?: () => number };

/** Everybody who is measured: ours, also with one contract and no kinds, Node's own server as the floor, and packages. */
export type SideName =
  | "Latchkey"
  | "other checkout"
  | "one contract"
  | "bare Node"
  | "Fastify"
  | "better-auth"
  | "Express"
  | "AI SDK"
  | "MCP SDK";

export type Operation = {
  name: string;
  slug: string;
  /** At scale 1, in each round and on each side. */
  requests: number;
  /** The engine optimises for some thousand requests; those are sent first and not measured. */
  warmUpRequests: number;
  aims: Aims;
  /** Ours first. */
  sides: Partial<Record<SideName, Prepare>>;
};
export type Prepared = Pick<Load, "requests" | "repeat" | "expected">;
export type Prepare = (call: PrepareCall) => Promise<Prepared>;
export type PrepareCall = {
  target: Target;
  requests: number;
  generateLoad: (load: Load) => Promise<LoadResult>;
};

export function originOf({ port }: Pick<Target, "port">): string {
  return `http://localhost:${port}`;
}

type ToHttpOptions = {
  target: Pick<Target, "port">;
  method: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
};

/** A whole HTTP/1.1 request. */
export function toHttp({ target, method, path, headers = {}, json }: ToHttpOptions): string {
  const body = json === undefined ? "" : JSON.stringify(json);
  const all: Record<string, string> = {
    Host: new URL(originOf(target)).host,
    Accept: "application/json",
    ...(json === undefined ? {} : { "Content-Type": "application/json" }),
    ...(method === "POST" ? { "Content-Length": String(Buffer.byteLength(body)) } : {}),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

/** The same request over and over. */
export function repeating({
  expected,
  ...request
}: { expected: Load["expected"] } & Omit<Parameters<typeof toHttp>[0], "target">): Prepare {
  return async ({ target, requests }) => ({
    requests: [toHttp({ target, ...request })],
    repeat: requests,
    expected,
  });
}
