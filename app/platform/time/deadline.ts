/** Rejects if the work takes longer. The work itself goes on. */
export async function withDeadline<T>(
  work: Promise<T>,
  timeoutMs: number,
  toError = () => new Error("timed out"),
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(toError()), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
