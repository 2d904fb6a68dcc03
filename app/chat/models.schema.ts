import { z } from "zod";

/** OpenAI's list of models, as far as it says anything here. */
export const modelListSchema = z.object({
  object: z.literal("list"),
  data: z
    .array(z.object({ id: z.string().describe("What `model` names."), object: z.literal("model") }))
    .describe("In the order that `modelIndex` counts; the first is the default."),
});

export type ModelList = z.infer<typeof modelListSchema>;

export function toModelList(models: readonly string[]): ModelList {
  return { object: "list", data: models.map((id) => ({ id, object: "model" })) };
}
