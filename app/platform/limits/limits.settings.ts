import { setting } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { Setting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import type { LimitAlgorithm, RateLimit, RateLimitName } from "./limit-name";

export type ConfiguredLimit = (NonNullable<RateLimit> & { algorithm: LimitAlgorithm }) | null;

const family = {
  name: "RATE_LIMIT_<ROUTE>",
  text: "Requests/seconds that one client may make of a route; 0 turns its limit off.",
};

export const limitSettings = {
  nonce: {
    ...limit("NONCE", "30/60", "GET /api/nonce"),
    text: "GET /api/nonce, in a sliding window.",
    parse: (given: string) => parseLimit(given, "sliding"),
    // One switch for all of them.
    switches: { name: "Rate limits" },
  },
  "gate-access": limit("GATE_ACCESS", "60/60", "POST /api/gate-access"),
  "session-enter": limit(
    "SESSION_ENTER",
    "60/60",
    "POST /session, by which the gate's page begins, renews and uses a session",
  ),
  session: limit(
    "SESSION",
    "300/60",
    "GET /session, which an open room asks every few seconds, and DELETE /session",
  ),
  "form-submission": limit("FORM_SUBMISSION", "10/60", "POST /api/form-submission-gate"),
  "token-status": limit("TOKEN_STATUS", "60/60", "GET /api/token-status"),
  keys: limit("KEYS", "60/60", "GET /api/keys"),
  door: {
    ...limit("DOOR", "0", "GET /api/door, for each visitor of the sites behind it"),
    text: "GET /api/door, for each visitor of the sites behind it. A page of a site is many requests.",
  },
  pages: limit(
    "PAGES",
    "120/60",
    "every page that is rendered, and, counted by itself, coming back into a site",
  ),
  chat: limit("CHAT", "20/60", "POST /api/chat"),
  "chat-resume": limit("CHAT_RESUME", "120/60", "taking up and stopping answers, together"),
  mcp: limit("MCP", "60/60", "POST /api/mcp"),
  tts: limit("TTS", "20/60", "POST /api/tts"),
  models: limit("MODELS", "60/60", "GET /api/models"),
  quota: limit("QUOTA", "60/60", "GET /api/quota"),
  "quota-reset": limit("QUOTA_RESET", "5/60", "POST /api/quota-reset; wrong secrets count"),
  operator: limit("OPERATOR", "5/60", "signing in to /operator; right and wrong secrets count"),
  "operator-check": limit("OPERATOR_CHECK", "30/60", "/operator/check, where it asks the chains"),
} satisfies Record<Exclude<RateLimitName, "door-enter">, Setting<ConfiguredLimit>>;

function limit(name: string, standard: string, what: string): Setting<ConfiguredLimit> {
  const parse = (given: string) => parseLimit(given, "fixed");
  const range = "0 or 1/1 to 9999999/999999";
  return setting(`RATE_LIMIT_${name}`, { parse, range, default: standard, family }, `${what}.`);
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
  const keys = Object.keys(limitSettings) as (keyof typeof limitSettings)[];
  const rows = keys.filter((key) => limits[key] === null).map((key) => limitSettings[key]);
  // A limit that is off by default doesn't count.
  const off = rows.filter((row) => row.default !== "0").map(({ name }) => name);
  const isOn = off.length === 0;
  const why = isOn ? "No RATE_LIMIT_ setting is 0." : `0 is set for ${off.join(", ")}.`;
  reader.setSwitch(limitSettings.nonce, isOn, why);
  // The second half of the way through the gate's page.
  return { ...limits, "door-enter": limits.pages };
}
