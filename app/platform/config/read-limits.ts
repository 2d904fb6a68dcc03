import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

export type RateLimitName =
  | "nonce"
  | "gate-access"
  | "session"
  | "form-submission"
  | "token-status"
  | "chat"
  | "tts"
  | "mcp"
  | "quota-reset"
  | "operator";
export type RateLimit = { points: number; windowSeconds: number };

export function readLimits(reader: SettingReader): Record<RateLimitName, RateLimit | null> {
  function readLimit(name: SettingName): RateLimit | null {
    const text = reader.getText(name);
    if (text === "0") return null;
    const [, points, windowSeconds] = /^(\d{1,7})\/(\d{1,6})$/.exec(text) ?? [];
    if (Number(points) > 0 && Number(windowSeconds) > 0) {
      return { points: Number(points), windowSeconds: Number(windowSeconds) };
    }
    reader.report(name, "must be <requests>/<seconds>, for example 60/60, or 0 to turn the limit off.");
    return null;
  }
  return {
    nonce: readLimit("RATE_LIMIT_NONCE"),
    "gate-access": readLimit("RATE_LIMIT_GATE_ACCESS"),
    session: readLimit("RATE_LIMIT_SESSION"),
    "form-submission": readLimit("RATE_LIMIT_FORM_SUBMISSION"),
    "token-status": readLimit("RATE_LIMIT_TOKEN_STATUS"),
    chat: readLimit("RATE_LIMIT_CHAT"),
    mcp: readLimit("RATE_LIMIT_MCP"),
    tts: readLimit("RATE_LIMIT_TTS"),
    "quota-reset": readLimit("RATE_LIMIT_QUOTA_RESET"),
    operator: readLimit("RATE_LIMIT_OPERATOR"),
  };
}
