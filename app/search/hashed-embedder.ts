import { toUnitVector } from "./embedder";
import type { Embedder } from "./embedder";
import { toSearchWords } from "./search-words";

/** A word counts in whole; each of its three-letter pieces, which outlive misspellings and endings, in part. */
const pieceWeight = 0.4;

/**
 * The built-in embedder: needs no model and no network. Words and pieces of words are hashed into a vector, so texts
 * are near each other when they share many; it knows nothing of meaning.
 */
export function createHashedEmbedder({ dimension = 256 } = {}): Embedder {
  return {
    model: `built-in-hashed-${dimension}`,
    minSimilarity: 0.22,
    comparesWords: true,
    embed: async ({ texts }) => texts.map((text) => embedText(text, dimension)),
  };
}

function embedText(text: string, dimension: number): Float32Array | null {
  const counts = new Map<string, number>();
  for (const word of toSearchWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vector = new Float32Array(dimension);
  for (const [word, count] of counts) {
    const weight = Math.sqrt(count);
    add(vector, word, weight);
    if (word.length < 4) continue;
    const framed = `<${word}>`;
    for (let at = 0; at + 3 <= framed.length; at++) {
      add(vector, `#${framed.slice(at, at + 3)}`, weight * pieceWeight);
    }
  }
  return toUnitVector(vector);
}

/** Half of all features count negatively, so that two that fall on the same number do not look alike. */
function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = hashText(feature);
  vector[(hash >>> 1) % vector.length]! += hash & 1 ? weight : -weight;
}

/** FNV-1a over UTF-16 units, then mixed, so that the lowest bits depend on all of them. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
