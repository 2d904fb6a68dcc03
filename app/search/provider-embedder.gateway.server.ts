import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { toWellFormedText } from "~/platform/well-formed-text";
import { FetchFault, fetchBounded } from "./bounded-fetch.gateway.server";
import { toUnitVector } from "./embedder";
import type { Embedder } from "./embedder";

const limits = { timeoutMs: 15_000, maxBytes: 16 * 1024 * 1024 };
const maxDimension = 8_192;
/** Far more than a passage holds; questions are shorter still. */
const maxInputChars = 8_000;
const attempts = 4;

const answerSchema = z.object({
  data: z.array(
    z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()).min(1).max(maxDimension) }),
  ),
});

type CreateProviderEmbedderOptions = {
  model: string;
  baseUrl: string;
  apiKey: string | null;
  retryPauseMs?: number;
};

/**
 * Embeds through any address that speaks OpenAI's `/embeddings`. Several texts at once belong to indexing, which can
 * wait: those are tried again where the provider is busy. A single question is asked once.
 */
export function createProviderEmbedder({
  model,
  baseUrl,
  apiKey,
  retryPauseMs = 1_000,
}: CreateProviderEmbedderOptions): Embedder {
  async function ask(texts: readonly string[], signal?: AbortSignal) {
    const input = texts.map((text) => toWellFormedText(text).slice(0, maxInputChars));
    const response = await fetchBounded({
      url: `${baseUrl}/embeddings`,
      init: {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, input, encoding_format: "float" }),
        signal,
      },
      limits,
    });
    if (!response.ok) throw new EmbeddingFault({ status: response.status });
    return readVectors(await response.text(), texts.length);
  }

  return {
    model,
    // Models differ in how near to each other they put what is unrelated: the order alone counts.
    minSimilarity: -1,
    comparesWords: false,
    async embed({ texts, signal }) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await ask(texts, signal);
        } catch (error) {
          const isPassing = error instanceof EmbeddingFault ? error.isPassing : error instanceof FetchFault;
          if (!isPassing || texts.length === 1 || attempt >= attempts) throw inOurWords(error);
          await pause(retryPauseMs * 2 ** (attempt - 1), undefined, { signal });
        }
      }
    },
  };
}

function inOurWords(error: unknown): unknown {
  if (!(error instanceof FetchFault)) return error;
  return new Error(`The embedding provider cannot be used: ${error.message}.`, { cause: error });
}

class EmbeddingFault extends Error {
  override readonly name = "EmbeddingFault";
  readonly isPassing: boolean;

  constructor({ status }: { status: number }) {
    super(`The embedding provider answered ${status}.`);
    this.isPassing = status === 429 || status >= 500;
  }
}

function readVectors(text: string, count: number): (Float32Array | null)[] {
  const answer = answerSchema.safeParse(parseJson(text));
  if (!answer.success || answer.data.data.length !== count) {
    throw new Error("The embedding provider's answer is not what was asked for.");
  }
  const vectors: (Float32Array | null)[] = Array.from({ length: count }, () => null);
  answer.data.data.forEach(({ index, embedding }, position) => {
    vectors[index ?? position] = toUnitVector(Float32Array.from(embedding));
  });
  const dimensions = new Set(vectors.flatMap((vector) => (vector ? [vector.length] : [])));
  if (vectors.length !== count || dimensions.size > 1) {
    throw new Error("The embedding provider's vectors do not fit together.");
  }
  return vectors;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
