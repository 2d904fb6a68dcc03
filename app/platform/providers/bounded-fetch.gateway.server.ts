/** Why a request to another service failed. Names no address and no secret. */
export class FetchFault extends Error {
  override readonly name = "FetchFault";
}

type FetchOptions = RequestInit & { timeoutMs: number; maxBytes: number };

/** Bounds the response's time and size. Follows no redirects, because the request may carry a key. */
export async function fetchBounded(url: string, options: FetchOptions): Promise<Response> {
  const { timeoutMs, maxBytes, ...init } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new FetchFault("it answered with a redirect");
    }
    const body = await readBounded(response, maxBytes);
    const { status, statusText, headers } = response;
    return new Response(status === 204 ? null : body, { status, statusText, headers });
  } catch (error) {
    if (error instanceof FetchFault) throw error;
    init.signal?.throwIfAborted();
    if (timeout.aborted) {
      const message = `it did not answer within ${timeoutMs / 1000} seconds`;
      throw new FetchFault(message, { cause: timeout.reason });
    }
    throw new FetchFault("it could not be reached", { cause: error });
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FetchFault(`its answer is larger than ${maxBytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
