/** `name`: of the limit. `key`: `<name>:<client>`. */
export const limitKeys = {
  window: (name: string) => `rate:${name}`,
  log: (key: string) => `hits:${key}`,
};

/** For clocks that differ: what has left a log by ours must not be gone by that of Redis before. */
export const limitKeepMs = 60_000;
