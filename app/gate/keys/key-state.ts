export type KeyUse = { usedBy: string; usedAtMs: number };

/** `departedAtMs`: when this key last left that holder's wallet; tokens minted up to then are revoked. */
export type KeyState = { used: KeyUse | null; departedAtMs: number | null };
