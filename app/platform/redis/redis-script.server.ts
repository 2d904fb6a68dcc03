import { createHash } from "node:crypto";

/** Redis knows a script it has run before by its digest; people know it in traces and metrics by its name. */
export type RedisScript = { name: string; lua: string; digest: string };

/** Redis runs a script as one: nothing else comes between its commands. */
export function defineScript({ name, lua }: Pick<RedisScript, "name" | "lua">): RedisScript {
  return { name, lua, digest: createHash("sha1").update(lua).digest("hex") };
}
