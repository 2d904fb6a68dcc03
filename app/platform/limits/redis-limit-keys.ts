/** `key`: `<limiter>:<client>`. */
export const limitKeys = {
  window: (key: string) => `limit:${key}`,
  log: (key: string) => `hits:${key}`,
};

/** For clocks that differ: what has lapsed by ours must not be gone by that of Redis before. */
export const limitKeepMs = 60_000;
