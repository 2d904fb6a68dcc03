/** Turns texts into vectors of length 1. Vectors of two models are never compared. */
export type Embedder = {
  /** What is stored with a namespace; another model has another name. */
  model: string;
  /** Below this cosine similarity two texts have nothing to do with each other. */
  minSimilarity: number;
  /** Whether nearness comes from shared words alone, so that one shared word may be mere coincidence. */
  comparesWords: boolean;
  /** One vector for each text, in their order. null: the text says nothing that could be compared. */
  embed: (call: { texts: readonly string[]; signal?: AbortSignal }) => Promise<(Float32Array | null)[]>;
};

/** The vector, shortened to length 1; null for one without a direction. */
export function toUnitVector(vector: Float32Array): Float32Array | null {
  const length = Math.hypot(...vector);
  if (!(length > 0) || !Number.isFinite(length)) return null;
  return vector.map((value) => value / length);
}
