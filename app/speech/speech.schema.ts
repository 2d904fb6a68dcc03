import * as z from "zod";
import { Refusal } from "~/platform/refusals/refusal";
import { isLongerThan, toWellFormedText } from "~/platform/text/well-formed-text";

/** After trimming. */
export const maxTextChars = 4_000;
/** Valid in a header. `msg_1:0` names the first part of a message. */
export const messageIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .nullish();
const textSchema = z.string().trim().min(1);

export type SpeechRequest = { text: string; messageId: string | null };

/** Ignores other members, such as the token. */
export function readSpeechRequest(body: unknown): SpeechRequest {
  const { text: rawText, messageId: rawMessageId } = (body ?? {}) as Record<string, unknown>;
  const text = textSchema.safeParse(rawText);
  if (!text.success) throw new Refusal("missing-text");
  if (isLongerThan(text.data, maxTextChars))
    throw new Refusal("text-too-long", { detail: `\`text\` may hold at most ${maxTextChars} characters.` });
  const messageId = messageIdSchema.safeParse(rawMessageId);
  if (!messageId.success) {
    throw new Refusal("invalid-message-id", {
      detail: `\`messageId\` may hold at most 128 letters, digits, dots, underscores, colons and hyphens.`,
    });
  }
  return { text: toWellFormedText(text.data), messageId: messageId.data ?? null };
}
