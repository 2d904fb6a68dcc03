import { setting } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SwitchText } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import type { LimitAlgorithm, RateLimit, RateLimitName } from "./limit-name";

export type ConfiguredLimit = (NonNullable<RateLimit> & { algorithm: LimitAlgorithm }) | null;

export const limitSettings = {
  nonce: limit(
    "NONCE",
    // Its switch is one for all of them.
    { default: "30/60", algorithm: "sliding", switches: { name: "Rate limits" } },
    "Requests/seconds for GET /api/nonce, sliding. 0 turns the limit off, here and below.",
  ),
  "gate-access": limit("GATE_ACCESS", { default: "60/60" }, "The same for POST /api/gate-access."),
  "session-enter": limit(
    "SESSION_ENTER",
    { default: "60/60" },
    "The same for POST /session, by which the gate's page begins, renews and uses a session.",
  ),
  session: limit(
    "SESSION",
    { default: "300/60" },
    "The same for GET /session, which an open room asks every few seconds.",
  ),
  "form-submission": limit(
    "FORM_SUBMISSION",
    { default: "10/60" },
    "The same for POST /api/form-submission-gate.",
  ),
  "token-status": limit("TOKEN_STATUS", { default: "60/60" }, "The same for GET /api/token-status."),
  pages: limit(
    "PAGES",
    { default: "120/60" },
    "The same for the page at /gate, where it looks up a key or opens the room for a session.",
  ),
  chat: limit("CHAT", { default: "20/60" }, "The same for POST /api/chat."),
  mcp: limit("MCP", { default: "60/60" }, "The same for POST /api/mcp."),
  tts: limit("TTS", { default: "20/60" }, "The same for POST /api/tts."),
  models: limit("MODELS", { default: "60/60" }, "The same for GET /api/models."),
  quota: limit("QUOTA", { default: "60/60" }, "The same for GET /api/quota."),
  "quota-reset": limit(
    "QUOTA_RESET",
    { default: "5/60" },
    "The same for POST /api/quota-reset; wrong secrets count.",
  ),
  operator: limit(
    "OPERATOR",
    { default: "5/60" },
    "The same for signing in to /operator; right and wrong secrets count.",
  ),
} satisfies Record<RateLimitName, unknown>;

type Options = { default: string; algorithm?: LimitAlgorithm; switches?: SwitchText };

function limit(name: string, { algorithm = "fixed", ...options }: Options, text: string) {
  const parse = (given: string) => parseLimit(given, algorithm);
  return setting(`RATE_LIMIT_${name}`, { ...options, parse, range: "0 or 1/1 to 9999999/999999" }, text);
}

function parseLimit(given: string, algorithm: LimitAlgorithm): ConfiguredLimit {
  if (given === "0") return null;
  const [, points, windowSeconds] = /^(\d{1,7})\/(\d{1,6})$/.exec(given) ?? [];
  if (Number(points) > 0 && Number(windowSeconds) > 0) {
    return { points: Number(points), windowSeconds: Number(windowSeconds), algorithm };
  }
  throw new InvalidSetting("must be <requests>/<seconds>, for example 60/60, or 0 to turn the limit off.");
}

export function readLimits(reader: SettingReader): Record<RateLimitName, ConfiguredLimit> {
  const limits = reader.read(limitSettings);
  const off = Object.entries(limitSettings).flatMap(([key, { name }]) =>
    limits[key as RateLimitName] ? [] : [name],
  );
  const isOn = off.length === 0;
  const why = isOn ? "No RATE_LIMIT_ setting is 0." : `0 is set for ${off.join(", ")}.`;
  reader.setSwitch(limitSettings.nonce, isOn, why);
  return limits;
}
