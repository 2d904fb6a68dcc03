import { z } from "zod";

/** For every operation that is about a key. */
export const documentedKeyName = z
  .string()
  .optional()
  .describe(
    "The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists.",
  );
