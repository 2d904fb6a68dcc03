import { createContext, useContext } from "react";

/** The nonce of this answer's Content-Security-Policy. Only the server has it: browsers hide it from scripts. */
export const NonceContext = createContext<string | undefined>(undefined);

export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
