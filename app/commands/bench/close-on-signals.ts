/** Servers and chains are no children of the terminal's: they are stopped in good order here. */
export function closeOnSignals(close: () => Promise<void>): () => void {
  const onSignal = () => void close().finally(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, onSignal);
  return () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, onSignal);
  };
}
