/** One hash of the package by itself; its entry holds all of them. */
declare module "hash-wasm/dist/keccak.umd.min.js" {
  import type { createKeccak } from "hash-wasm";
  const library: { createKeccak: typeof createKeccak };
  export = library;
}
