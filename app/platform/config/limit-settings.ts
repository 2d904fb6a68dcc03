import type { Setting } from "./setting";

/** The part of the list of settings that is about rate limits. */
export const limitSettings = [
  {
    name: "RATE_LIMIT_NONCE",
    group: "Limits",
    default: "30/60",
    effect: "Requests/seconds for GET /api/nonce, sliding. 0 turns the limit off, here and below.",
  },
  {
    name: "RATE_LIMIT_GATE_ACCESS",
    group: "Limits",
    default: "60/60",
    effect: "The same for POST /api/gate-access and POST /session together.",
  },
  {
    name: "RATE_LIMIT_SESSION",
    group: "Limits",
    default: "300/60",
    effect: "The same for GET /session, which an open room asks every few seconds.",
  },
  {
    name: "RATE_LIMIT_FORM_SUBMISSION",
    group: "Limits",
    default: "10/60",
    effect: "The same for POST /api/form-submission-gate.",
  },
  {
    name: "RATE_LIMIT_TOKEN_STATUS",
    group: "Limits",
    default: "60/60",
    effect: "The same for GET /api/token-status.",
  },
  {
    name: "RATE_LIMIT_CHAT",
    group: "Limits",
    default: "20/60",
    effect: "The same for POST /api/chat.",
  },
  {
    name: "RATE_LIMIT_MCP",
    group: "Limits",
    default: "60/60",
    effect: "The same for POST /api/mcp.",
  },
  {
    name: "RATE_LIMIT_TTS",
    group: "Limits",
    default: "20/60",
    effect: "The same for POST /api/tts.",
  },
  {
    name: "RATE_LIMIT_QUOTA_RESET",
    group: "Limits",
    default: "5/60",
    effect: "The same for POST /api/quota-reset; wrong secrets count.",
  },
  {
    name: "RATE_LIMIT_OPERATOR",
    group: "Limits",
    default: "5/60",
    effect: "The same for signing in to /operator; right and wrong secrets count.",
  },
] as const satisfies readonly Setting[];
