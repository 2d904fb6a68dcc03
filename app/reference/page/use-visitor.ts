import { createContext, useCallback, useContext, useEffect, useState } from "react";

/** Who the browser's session says is here; no script can read the session itself. */
export type Visitor =
  | { state: "asking" | "unknown" }
  | { state: "stranger"; reason: string | null }
  | { state: "signed-in"; tokenId: string };

export type VisitorHolder = { visitor: Visitor; refresh: () => void };

export const VisitorContext = createContext<VisitorHolder>({
  visitor: { state: "asking" },
  refresh: () => undefined,
});

export function useVisitor(): VisitorHolder {
  return useContext(VisitorContext);
}

export function useVisitorHolder(): VisitorHolder {
  const [visitor, setVisitor] = useState<Visitor>({ state: "asking" });
  const refresh = useCallback(() => void askSession().then(setVisitor), []);
  useEffect(() => {
    let isHere = true;
    void askSession().then((answer) => {
      if (isHere) setVisitor(answer);
    });
    return () => void (isHere = false);
  }, []);
  return { visitor, refresh };
}

async function askSession(): Promise<Visitor> {
  try {
    const response = await fetch("/session", { credentials: "same-origin", cache: "no-store" });
    if (!response.ok) return { state: "unknown" };
    const session = (await response.json()) as {
      signedIn: boolean;
      tokenId?: string;
      ended?: { detail: string };
    };
    if (session.signedIn && session.tokenId) return { state: "signed-in", tokenId: session.tokenId };
    return { state: "stranger", reason: session.ended?.detail ?? null };
  } catch {
    return { state: "unknown" };
  }
}
