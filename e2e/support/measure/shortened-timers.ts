/**
 * Node options for a server in which timers of this kind and exactly `fromMs` run after `toMs`. Tests see at once what
 * happens every minute, and only if it is set to that minute. Other timers don't change.
 */
export function shortenTimers({
  kind,
  fromMs,
  toMs,
}: {
  kind: "setTimeout" | "setInterval";
  fromMs: number;
  toMs: number;
}): string[] {
  const program = `const start = globalThis.${kind};
  globalThis.${kind} = (run, ms, ...rest) => start(run, ms === ${fromMs} ? ${toMs} : ms, ...rest);`;
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`];
}
