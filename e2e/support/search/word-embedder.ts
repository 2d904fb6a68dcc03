import { toUnitVector } from "~/platform/providers/provider-embedder.gateway.server";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { toSearchWords } from "~/knowledge/search-words";

/** Replaces a provider's model: texts with common words are near each other. */
export function createWordEmbedder({ model = "of-words", dimension = 64 } = {}): Embedder {
  const embedText = (text: string) => {
    const vector = new Float32Array(dimension);
    for (const word of toSearchWords(text)) {
      const sum = [...word].reduce((total, character) => total * 31 + character.codePointAt(0)!, 7);
      vector[sum % dimension]! += 1;
    }
    return toUnitVector(vector);
  };
  return { model, embed: async ({ texts }) => texts.map(embedText) };
}
