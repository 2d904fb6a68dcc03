import type { Address, Hex } from "viem";

/** The server that receives the requests, and the visitors who make them. */
export type Target = {
  port: number;
  chainId: number;
  /** One for each holder. */
  accessTokens: readonly string[];
  /** Keys of several wallets, so that concurrent sign-ins don't share one reading of the chain. */
  holders: readonly Holder[];
  /** Each unused key is handed out once. */
  takeUnusedKeys: (count: number) => Holder[];
};
export type Holder = { tokenId: string; address: Address; sign: (message: string) => Promise<Hex> };

export type RequestParts = {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
};
/** Makes `count` requests, or one that may be repeated. */
export type Prepare = (target: Target, count: number) => RequestParts[] | Promise<RequestParts[]>;

export function originOf({ port }: Pick<Target, "port">): string {
  return `http://localhost:${port}`;
}
