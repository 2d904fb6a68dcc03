import * as z from "zod";
import { isLongerThan } from "~/platform/text/well-formed-text";
import { describeIssues } from "~/platform/shapes/shape-issues";
import { maxMessageChars, maxMessages, maxParts } from "./chat-limits";
import { textOf, toModelMessages } from "./model-messages";
import type { Part } from "./model-messages";
import type { ModelMessage } from "./providers/chat-provider";

// Checked by hand up to the first fault: a schema takes long over a thousand wrong parts. `toModelMessages` drops parts
// of other types.
const partsSchema = z.array(z.unknown()).transform((parts, checks): Part[] => {
  for (const [index, part] of parts.entries()) {
    const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
    if (typeof type !== "string") {
      const message = "A part needs its type as a string";
      checks.addIssue({ code: "custom", path: [index, "type"], message });
    } else if (type === "text" && typeof text !== "string") {
      const message = "A text part needs its text as a string";
      checks.addIssue({ code: "custom", path: [index, "text"], message });
    } else continue;
    return z.NEVER;
  }
  return parts as Part[];
});

const messageSchema = z
  .object({
    role: z.enum(["system", "user", "assistant"]),
    content: z.union([z.string(), partsSchema]).optional(),
    parts: partsSchema.optional(),
  })
  .refine((message) => message.content !== undefined || message.parts !== undefined, {
    message: "A message needs content or parts",
  })
  .refine((message) => !isLongerThan(textOf(message), maxMessageChars), {
    message: `A message may hold at most ${maxMessageChars} characters`,
  });

/** Other members are ignored. The caller's step checks access tokens. */
export const chatRequestSchema = z.object({
  messages: z
    .array(z.unknown())
    .min(1)
    .max(maxMessages, `At most ${maxMessages} messages`)
    .refine((messages) => countParts(messages) <= maxParts, `At most ${maxParts} parts over all messages`)
    .pipe(
      z
        .array(messageSchema)
        .refine(
          (messages) => messages.some((message) => message.role === "user" && textOf(message).trim() !== ""),
          { message: "At least one message of the user must hold text" },
        ),
    ),
  model: z.string().nullish(),
  modelIndex: z.int().nullish(),
  metadata: z.custom<object>((value) => typeof value === "object" && !Array.isArray(value)).nullish(),
});

/** `messages` as the model gets them. */
export type ChatRequest = Omit<z.infer<typeof chatRequestSchema>, "messages"> & {
  messages: ModelMessage[];
  /** Without one the reply can't be resumed. */
  conversationId?: string | undefined;
};

export function readChatRequest(body: unknown, sentBytes: number) {
  const messages = (body as { messages?: unknown } | null | undefined)?.messages;
  if (!Array.isArray(messages) || messages.length === 0)
    return { ok: false, problem: "missing-messages" } as const;
  const parsed = chatRequestSchema.safeParse(body);
  if (parsed.success) {
    const { id } = body as { id?: unknown };
    const conversationId = isConversationId(id) ? id : undefined;
    const messages = toModelMessages(parsed.data.messages, sentBytes);
    const request: ChatRequest = Object.assign({}, parsed.data, { messages, conversationId });
    return { ok: true, request } as const;
  }
  return { ok: false, problem: "invalid-shape", issues: describeIssues(parsed.error.issues) } as const;
}

/** Long, because without tokens the ID alone decides whose the conversation is. */
export function isConversationId(id: unknown): id is string {
  return typeof id === "string" && /^[A-Za-z0-9_-]{16,64}$/.test(id);
}

type WantedModel = Pick<ChatRequest, "model" | "modelIndex">;

/** Null for an unknown model. A position outside the list means the nearest end. */
export function findModel(models: readonly string[], { model, modelIndex }: WantedModel): string | null {
  if (typeof model === "string") return models.includes(model) ? model : null;
  const position = Math.min(Math.max(modelIndex ?? 1, 1), models.length);
  return models[position - 1] ?? null;
}

function countParts(messages: readonly unknown[]): number {
  let count = 0;
  for (const message of messages) {
    const { content, parts } = (message ?? {}) as { content?: unknown; parts?: unknown };
    for (const list of [content, parts]) count += Array.isArray(list) ? list.length : 0;
  }
  return count;
}

/** OpenAI's list of models. */
export const modelListSchema = z.object({
  object: z.literal("list"),
  data: z
    .array(z.object({ id: z.string().describe("What `model` names."), object: z.literal("model") }))
    .describe("In the order that `modelIndex` counts; the first is the default."),
});

type ModelList = z.infer<typeof modelListSchema>;

export function toModelList(models: readonly string[]): ModelList {
  return { object: "list", data: models.map((id) => ({ id, object: "model" })) };
}
