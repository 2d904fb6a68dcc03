/** Servers and chains are no children of the terminal's: they are shut down here. */
export function closeOnSignals(close: () => Promise<void>): () => void {
  const onSignal = () => void close().finally(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, onSignal);
  return () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, onSignal);
  };
}

export type Closers = (() => Promise<unknown>)[];

/** Runs `work`, then all its closers in reverse order, however it ends. */
export async function withClosers<Value>(work: (closers: Closers) => Promise<Value>): Promise<Value> {
  const closers: Closers = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  const stopListening = closeOnSignals(close);
  try {
    return await work(closers);
  } finally {
    stopListening();
    await close();
  }
}
