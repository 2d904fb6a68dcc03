import { flag, secret, url } from "~/platform/config/kinds";
import type { SettingReader } from "~/platform/config/setting-reader";

export const redisSettings = {
  enabled: flag(
    "NEXT_PUBLIC_ENABLE_STATE_WORKER",
    {
      default: true,
      switches: { name: "Sign-in with Ethereum", off: "there is nothing to keep nonces in" },
    },
    "The state service, which nonces and quotas need. false switches SIWE and the quota off.",
  ),
  url: url(
    "STATE_WORKER_URL",
    {
      protocols: ["redis:", "rediss:"],
      isSecret: true,
      switches: {
        name: "State in Redis, shared by all instances",
        on: "nonces, limits and quotas live there",
        off: "nonces, limits and quotas live in the service's own database",
      },
    },
    "Redis where nonces, limits and quotas live, shared by all instances. Default: the service's own database.",
  ),
  password: secret("STATE_WORKER_API_KEY", {}, "Password of that Redis, where its address holds none."),
};

export function readState(reader: SettingReader) {
  const { enabled, url, password } = reader.read(redisSettings);
  if (password !== null && !reader.isSet(redisSettings.url)) {
    reader.report(redisSettings.password, "is the password of STATE_WORKER_URL, which is not set.");
  }
  if (url && password !== null && new URL(url).password !== "") {
    reader.report(redisSettings.password, "must be left out where STATE_WORKER_URL holds a password.");
  }
  return { enabled, redis: url ? { url, password } : null };
}
