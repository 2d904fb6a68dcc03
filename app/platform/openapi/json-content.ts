import * as z from "zod";
import type { ZodMediaTypeObject } from "@asteasolutions/zod-to-openapi";
import type { ResponseDescription } from "./api-registry";

type JsonContent = { schema: ZodMediaTypeObject["schema"] } & (
  { example: unknown } | { examples: Record<string, { summary: string; value: unknown }> }
);

export function jsonContent(content: JsonContent) {
  return { "application/json": content };
}

/** The only response that is no refusal. */
export function respondsJson(
  description: string,
  content: JsonContent,
  more?: Pick<ResponseDescription, "ownHeaders">,
): Record<number, ResponseDescription> {
  return { 200: { description, ...more, content: jsonContent(content) } };
}

/** For responses with an ETag. */
export const versionHeader = {
  headers: z.object({
    "If-None-Match": z
      .string()
      .optional()
      .meta({
        description: "The ETag of the copy you have.",
        param: { example: '"a3f1c0d2e4b5968778695a4b3c2d1e0f"' },
      }),
  }),
};
