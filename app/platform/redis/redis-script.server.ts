import { createHash } from "node:crypto";

/** `name` is for traces and metrics. */
export type RedisScript = { name: string; lua: string; digest: string };

/** Redis runs a script atomically. */
export function defineScript({ name, lua }: Pick<RedisScript, "name" | "lua">): RedisScript {
  return { name, lua, digest: createHash("sha1").update(lua).digest("hex") };
}
