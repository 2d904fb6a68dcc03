import { z } from "zod";
import { refusalTable } from "~/platform/http/refusal";
import type { RefusalContent } from "./api-registry";

/** How the routes of chat, speech and quota word their refusals; the counterpart of `answerError`. */
const errorSchema = z
  .looseObject({
    error: z.string().describe("What was refused, in a few words."),
    details: z.string().optional().describe("Where the body was at fault: what is wrong with it."),
  })
  .meta({ id: "ErrorAnswer", type: "object", additionalProperties: true });

const statusesWithDetails = [400, 413, 415];

export const errorContent: RefusalContent = ({ names, status }) => ({
  "application/json": {
    schema: errorSchema,
    examples: Object.fromEntries(
      names.map((name) => {
        const { title, meaning } = refusalTable[name];
        const details = statusesWithDetails.includes(status) ? { details: meaning } : {};
        return [name, { summary: title, value: { error: title, ...details } }];
      }),
    ),
  },
});
