/** As clients are told them; each is a row of `limits.settings.ts`. */
export type RateLimitName =
  | "nonce"
  | "gate-access"
  | "session-enter"
  | "session"
  | "form-submission"
  | "token-status"
  | "pages"
  | "chat"
  | "mcp"
  | "tts"
  | "models"
  | "quota"
  | "quota-reset"
  | "operator";

/** Null: the limit is off. */
export type RateLimit = { points: number; windowSeconds: number } | null;
