import { z } from "zod";
import { isLongerThan, toWellFormedText } from "~/platform/well-formed-text";

/** After trimming. */
export const maxTextChars = 4_000;
export const maxMessageIdChars = 128;
/** What may stand in a header as it is; `msg_1:0` names the first part of a message. */
export const messageIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

export const speechTextSchema = z.string().trim().min(1);
export const messageIdSchema = z.string().regex(messageIdPattern);

export type SpeechRequest = { text: string; messageId: string | null };
export type SpeechRequestReading =
  | { ok: true; request: SpeechRequest }
  | { ok: false; problem: "missing-text" | "text-too-long" | "invalid-message-id" };

/** Members that are not known are let through: the token may be among them. */
export function readSpeechRequest(body: unknown): SpeechRequestReading {
  const { text: rawText, messageId: rawMessageId } = (body ?? {}) as Record<string, unknown>;
  const text = speechTextSchema.safeParse(rawText);
  if (!text.success) return { ok: false, problem: "missing-text" };
  if (isLongerThan(text.data, maxTextChars)) return { ok: false, problem: "text-too-long" };
  const messageId = messageIdSchema.nullish().safeParse(rawMessageId);
  if (!messageId.success) return { ok: false, problem: "invalid-message-id" };
  return { ok: true, request: { text: toWellFormedText(text.data), messageId: messageId.data ?? null } };
}
