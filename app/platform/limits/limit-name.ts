export const rateLimitNames = [
  "nonce",
  "gate-access",
  "session-enter",
  "session",
  "form-submission",
  "token-status",
  "keys",
  "door",
  "door-enter",
  "pages",
  "chat",
  "chat-resume",
  "mcp",
  "tts",
  "models",
  "quota",
  "quota-reset",
  "operator",
  "operator-check",
] as const;
export type RateLimitName = (typeof rateLimitNames)[number];

/** `fixed`: points in each window, which begins with the first hit. `sliding`: points in any window at all. */
export type LimitAlgorithm = "fixed" | "sliding";

/** Null: the limit is off. */
export type RateLimit = { points: number; windowSeconds: number } | null;
