import { z } from "zod";
import { isLongerThan, toWellFormedText } from "~/platform/well-formed-text";
import { maxMessageChars, maxMessages } from "./chat-limits";

const roleSchema = z.enum(["system", "user", "assistant"]);

/** Parts of other types are let through here and dropped by `normalizeMessages`; nothing in them is followed. */
const partSchema = z
  .looseObject({ type: z.string(), text: z.unknown().optional() })
  .refine((part) => part.type !== "text" || typeof part.text === "string", {
    path: ["text"],
    message: "A text part needs its text as a string",
  });

const messageSchema = z
  .looseObject({
    role: roleSchema,
    content: z.union([z.string(), z.array(partSchema)]).optional(),
    parts: z.array(partSchema).optional(),
  })
  .refine((message) => message.content !== undefined || message.parts !== undefined, {
    message: "A message needs content or parts",
  })
  .refine((message) => !isLongerThan({ text: textOf(message), maxChars: maxMessageChars }), {
    message: `A message may hold at most ${maxMessageChars} characters`,
  });

export const chatRequestSchema = z.looseObject({
  messages: z
    .array(messageSchema)
    .min(1)
    .max(maxMessages, `At most ${maxMessages} messages`)
    .refine(
      (messages) => messages.some((message) => message.role === "user" && textOf(message).trim() !== ""),
      {
        message: "At least one message of the user must hold text",
      },
    ),
  model: z.string().nullish(),
  modelIndex: z.int().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  jwt: z.string().nullish(),
  data: z.looseObject({ jwt: z.string().nullish() }).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type ChatIssue = { path: string; message: string };

export type ChatRequestReading =
  | { ok: true; request: ChatRequest }
  | { ok: false; problem: "missing-messages" }
  | { ok: false; problem: "invalid-shape"; issues: ChatIssue[] };

/** Shape only: who may ask is decided between the reading of the JSON and this. */
export function readChatRequest(body: unknown): ChatRequestReading {
  const messages = (body as { messages?: unknown } | null | undefined)?.messages;
  if (!Array.isArray(messages) || messages.length === 0) return { ok: false, problem: "missing-messages" };
  const parsed = chatRequestSchema.safeParse(body);
  if (parsed.success) return { ok: true, request: parsed.data };
  const issues = parsed.error.issues
    .slice(0, 20)
    .map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  return { ok: false, problem: "invalid-shape", issues };
}

/** `context` is what a client sent as `system`: words of the person asking, never the operator's. */
export type ChatMessage = { role: "user" | "assistant" | "context"; text: string };

/** Keeps the text of each message and drops everything else, messages without text included. */
export function normalizeMessages(messages: ChatRequest["messages"]): ChatMessage[] {
  return messages.flatMap((message) => {
    const text = toWellFormedText(textOf(message));
    if (text.trim() === "") return [];
    return [{ role: message.role === "system" ? "context" : message.role, text }];
  });
}

/** Null when `model` names none of the operator's models. A position outside the list takes the nearest end. */
export function findModel({
  models,
  model,
  modelIndex,
}: {
  models: readonly string[];
  model?: string | null;
  modelIndex?: number | null;
}): string | null {
  if (typeof model === "string") return models.includes(model) ? model : null;
  const position = Math.min(Math.max(modelIndex ?? 1, 1), models.length);
  return models[position - 1] ?? null;
}

type Textual = { content?: string | Part[]; parts?: Part[] };
type Part = { type: string; text?: unknown };

function textOf({ content, parts }: Textual): string {
  const source = parts ?? content ?? "";
  if (typeof source === "string") return source;
  return source
    .flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("");
}
