import { createContext, useContext } from "react";

/** The nonce of the Content-Security-Policy. Browsers hide it from scripts. */
export const NonceContext = createContext<string | undefined>(undefined);

export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
