/**
 * Node options for a server whose timers of exactly `fromMs` run after `toMs`: what it does every minute can be seen
 * at once, and only if it is set to that minute. Other timers stay as they are.
 */
export function shortenTimers({ fromMs, toMs }: { fromMs: number; toMs: number }): string[] {
  const program = `for (const name of ["setTimeout", "setInterval"]) {
    const start = globalThis[name];
    globalThis[name] = (run, ms, ...rest) => start(run, ms === ${fromMs} ? ${toMs} : ms, ...rest);
  }`;
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`];
}
