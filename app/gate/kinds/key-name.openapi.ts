import * as z from "zod";

const description =
  "The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists.";

/** For every operation that is about a key. */
export const documentedKeyName = z.string().optional().describe(description);
export const keyNameParameter = z
  .string()
  .optional()
  .meta({ description, param: { example: "founder" } });
