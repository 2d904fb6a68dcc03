import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { toWellFormedText } from "~/platform/text/well-formed-text";
import { FetchFault, fetchBounded } from "./bounded-fetch.gateway.server";
import { toKeyHeaders } from "./provider-ping.gateway.server";
import type { ApiKey } from "./provider-ping.gateway.server";

/** Makes vectors of length 1. Vectors of two models are never compared. */
export type Embedder = {
  /** Stored with a namespace; another model has another name. */
  model: string;
  /** One vector for each text, in their order. null: the text has no meaning to compare. */
  embed: (call: { texts: readonly string[]; signal?: AbortSignal }) => Promise<(Float32Array | null)[]>;
};

const limits = { timeoutMs: 15_000, maxBytes: 16 * 1024 * 1024 };
const maxDimension = 8_192;
/** Far more than a passage or a question contains. */
const maxInputChars = 8_000;
const attempts = 4;

const responseSchema = z.object({
  data: z.array(
    z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()).min(1).max(maxDimension) }),
  ),
});

/** The provider is busy or unreachable, so a retry may help. */
class PassingFault extends Error {
  override readonly name = "PassingFault";
}

type ProviderEmbedderOptions = ApiKey & { model: string; baseUrl: string; retryPauseMs?: number };

/** Retries several texts, which belong to indexing. A single question isn't retried. */
export function createProviderEmbedder(options: ProviderEmbedderOptions): Embedder {
  const { model, baseUrl, retryPauseMs = 1_000 } = options;

  async function ask(texts: readonly string[], signal?: AbortSignal) {
    const input = texts.map((text) => toWellFormedText(text).slice(0, maxInputChars));
    const response = await fetchBounded(`${baseUrl}/embeddings`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...toKeyHeaders(options) },
      body: JSON.stringify({ model, input, encoding_format: "float" }),
      signal,
      ...limits,
    }).catch((error: unknown) => {
      if (!(error instanceof FetchFault)) throw error;
      throw new PassingFault(`The embedding provider cannot be used: ${error.message}.`, { cause: error });
    });
    const { ok, status } = response;
    if (ok) return readVectors(await response.json().catch(() => null), texts.length);
    const told = `The embedding provider answered ${status}.`;
    throw status === 429 || status >= 500 ? new PassingFault(told) : new Error(told);
  }

  return {
    model,
    async embed({ texts, signal }) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await ask(texts, signal);
        } catch (error) {
          if (!(error instanceof PassingFault) || texts.length === 1 || attempt >= attempts) throw error;
          await pause(retryPauseMs * 2 ** (attempt - 1), undefined, { signal });
        }
      }
    },
  };
}

function readVectors(body: unknown, count: number): (Float32Array | null)[] {
  const read = responseSchema.safeParse(body);
  if (!read.success || read.data.data.length !== count) {
    throw new Error("The embedding provider's response has the wrong shape.");
  }
  const vectors: (Float32Array | null)[] = Array.from({ length: count }, () => null);
  read.data.data.forEach(({ index, embedding }, position) => {
    vectors[index ?? position] = toUnitVector(Float32Array.from(embedding));
  });
  const dimensions = new Set(vectors.flatMap((vector) => (vector ? [vector.length] : [])));
  if (vectors.length !== count || dimensions.size > 1) {
    throw new Error("The embedding provider's vectors do not fit together.");
  }
  return vectors;
}

/** Normalised to length 1; null for one without a direction. */
export function toUnitVector(vector: Float32Array): Float32Array | null {
  const length = Math.hypot(...vector);
  if (!(length > 0) || !Number.isFinite(length)) return null;
  return vector.map((value) => value / length);
}
