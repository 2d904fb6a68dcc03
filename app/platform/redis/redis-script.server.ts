import { createHash } from "node:crypto";

/** Redis knows a script it has run before by its digest. */
export type RedisScript = { lua: string; digest: string };

/** Redis runs a script as one: nothing else comes between its commands. */
export function defineScript(lua: string): RedisScript {
  return { lua, digest: createHash("sha1").update(lua).digest("hex") };
}
