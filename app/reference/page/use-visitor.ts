import { createContext, useCallback, useContext, useEffect, useState } from "react";

/** Who the browser's session says is here; no script can read the session itself. */
export type Visitor =
  | { state: "asking" | "unknown" }
  | { state: "stranger"; reason: string }
  | { state: "signed-in"; tokenId: string };

export const VisitorContext = createContext<ReturnType<typeof useVisitorState>>({
  visitor: { state: "asking" },
  refresh: () => undefined,
});

export function useVisitor() {
  return useContext(VisitorContext);
}

export function useVisitorState() {
  const [visitor, setVisitor] = useState<Visitor>({ state: "asking" });
  const refresh = useCallback(() => void readSession().then(setVisitor), []);
  useEffect(refresh, [refresh]);
  return { visitor, refresh };
}

type Session = { signedIn: boolean; tokenId?: string; ended?: { detail: string } };

async function readSession(): Promise<Visitor> {
  try {
    const response = await fetch("/session", { credentials: "same-origin", cache: "no-store" });
    if (!response.ok) return { state: "unknown" };
    const { signedIn, tokenId, ended } = (await response.json()) as Session;
    if (signedIn && tokenId) return { state: "signed-in", tokenId };
    return { state: "stranger", reason: ended?.detail ?? "You are not signed in." };
  } catch {
    return { state: "unknown" };
  }
}
