import * as z from "zod";

const toolCallId = z.string().min(1);

const finishReasonSchema = z.enum(["stop", "length", "tool-calls", "content-filter", "error", "other"]);
export type FinishReason = z.infer<typeof finishReasonSchema>;

// The AI SDK's UI message stream. Its clients use strict objects, so no event has members of our own. `finishReason` is in
// `messageMetadata`, because beside `type` it breaks clients before 5.0.54.
export const chatEventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("start"), messageId: z.string().optional() }),
  z.strictObject({ type: z.literal("start-step") }),
  z.strictObject({ type: z.literal("text-start"), id: z.string() }),
  z.strictObject({ type: z.literal("text-delta"), id: z.string(), delta: z.string() }),
  z.strictObject({ type: z.literal("text-end"), id: z.string() }),
  z.strictObject({ type: z.literal("tool-input-start"), toolCallId, toolName: z.string() }),
  z.strictObject({
    type: z.literal("tool-input-available"),
    toolCallId,
    toolName: z.string(),
    input: z.unknown(),
  }),
  z.strictObject({ type: z.literal("tool-output-available"), toolCallId, output: z.unknown() }),
  z.strictObject({ type: z.literal("tool-output-error"), toolCallId, errorText: z.string() }),
  z.strictObject({ type: z.literal("finish-step") }),
  z.strictObject({ type: z.literal("error"), errorText: z.string() }),
  z.strictObject({
    type: z.literal("finish"),
    messageMetadata: z.strictObject({ finishReason: finishReasonSchema }).optional(),
  }),
]);

export type ChatEvent = z.infer<typeof chatEventSchema>;
