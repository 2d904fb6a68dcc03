import * as z from "zod";
import { accessTokenMembers, calledByHolder, badTokenIsNone } from "~/gate/admission/token-placement.openapi";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { jsonContent } from "~/platform/openapi/json-content";
import type { RefusalContent } from "~/platform/openapi/problem-answers";
import { describeQuotaHeaders } from "~/quota/quota-headers.openapi";
import { maxTextChars, messageIdSchema } from "./speech.schema";

const tag = "Speech";

const speechErrorSchema = z
  .object({
    error: z.string().describe("The error, in words that stay the same."),
    details: z.string().optional().describe("What happened in particular, free of secrets. May change."),
    remaining: z.int().min(0).optional().describe("429 only: requests, or characters, that are left."),
    resetAt: z.string().optional().describe("429 only: when to come back, ISO 8601 in UTC."),
  })
  .meta({ id: "SpeechError", description: "How speech refuses." });

type SpeechError = z.infer<typeof speechErrorSchema>;

const exampleMembers: Partial<Record<RefusalName, Partial<SpeechError>>> = {
  "text-too-long": { details: `\`text\` may hold at most ${maxTextChars} characters.` },
  "unspeakable-text": { details: "The embedded voice speaks English and knows Latin letters only." },
  "body-too-large": { details: "The body may hold at most 32768 bytes." },
  "too-many-requests": { remaining: 0, resetAt: "2026-01-15T09:30:12.000Z" },
  "quota-exceeded": { remaining: 120, resetAt: "2026-01-16T09:30:00.000Z" },
  "quota-reserved": {
    remaining: 0,
    resetAt: "2026-01-15T09:31:00.000Z",
    details: "50000 of this key's 50000 characters are set aside for speech under way.",
  },
  "speech-failed": { details: "HTTP 429: Rate limit reached" },
  "speech-busy": { details: refusalTable["speech-busy"].meaning },
  "internal-error": {
    error: refusalTable["speech-failed"].title,
    details: refusalTable["internal-error"].meaning,
  },
};

const refusalContent: RefusalContent = ({ names }) => {
  const examples = names.map((name) => {
    const value: SpeechError = { error: refusalTable[name].title, ...exampleMembers[name] };
    return [name, { summary: value.error, value }] as const;
  });
  return jsonContent({ schema: speechErrorSchema, examples: Object.fromEntries(examples) });
};

const speechDescription = `Reads a text aloud. Audio is sent as it is made: playing can begin with the first byte.

Markdown is cleaned for the ear: links are read by their words, tables row by row, and code blocks, addresses and emoji are left out. The result has at most ${maxTextChars} characters, and at most twice those of \`text\`; a longer one is cut at a sentence, with the header \`X-Speech-Cut\`.

**An answer sentence by sentence.** A client may send the parts of a longer text one by one, each with a \`messageId\` of its own such as \`msg_1:0\`, \`msg_1:1\`; the id comes back in \`X-Message-Id\`, so that answers can be told apart.

**Who may.** Everybody, or where the operator requires it who sends an access token. ${badTokenIsNone}

**Quota.** Where it is in force, each key may have so many characters spoken, of the text that the provider gets; the headers \`X-Quota-Limit\`, \`X-Quota-Remaining\` and \`X-Quota-Reset\` tell where it stands, failures before the first byte included. A text counts from the moment the provider is asked for it, also for whoever leaves before its first byte. What is repeated from the cache, what somebody else is just having spoken, and what failed before its first byte is not counted.

A failure before the first byte is answered in the shape \`{error, details}\`. After it the connection is cut, so that half a recording never looks whole. The embedded voice knows English; text in other scripts is refused with 422.`;

const speechHeaders = {
  "X-Message-Id": {
    description: "The `messageId` of the request; absent where none was sent.",
    required: false,
    schema: { type: "string" },
    example: "msg_1:0",
  },
  "X-Speech-Cut": {
    description: "`1`: the text was too long to be spoken to its end. Absent otherwise.",
    required: false,
    schema: { type: "string" },
    example: "1",
  },
  ...describeQuotaHeaders({
    counted: "Characters",
    thisAnswer: "this text counted unless nothing had to be spoken for it",
    example: { limit: 50_000, remaining: 49_960 },
  }),
} as const;

const requestSchema = z
  .object({
    text: z
      .string()
      .min(1)
      .describe(`1 to ${maxTextChars} characters after trimming; white space alone counts as missing.`),
    messageId: messageIdSchema.describe(
      "Comes back in `X-Message-Id`. A part of a message is named by its number: `msg_1:0`.",
    ),
    ...accessTokenMembers,
  })
  .meta({ id: "SpeechRequest" });

export function describeSpeech(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "Reading texts aloud." });
  api.describe(speakOperation);
}

export const speakOperation = {
  method: "post",
  path: "/api/tts",
  operationId: "speak",
  tag,
  summary: "Read a text aloud",
  description: speechDescription,
  limit: "tts",
  malformedBody: "invalid-json-body",
  maxBodyBytes: 32 * 1024,
  caller: calledByHolder({ scope: "tts", isRequired: "by-setting" }),
  body: {
    required: true,
    content: jsonContent({
      schema: requestSchema,
      examples: {
        whole: { summary: "A text", value: { text: "The door is open. Come in." } },
        part: {
          summary: "The first part of an answer",
          value: { text: "The one-time form can be sent once.", messageId: "msg_1:0" },
        },
      },
    }),
  },
  refusals: [
    "invalid-json-body",
    "missing-text",
    "text-too-long",
    "invalid-message-id",
    "unspeakable-text",
    "quota-exceeded",
    "quota-reserved",
    "speech-failed",
    "speech-disabled",
    "speech-busy",
  ],
  refusalContent,
  answers: {
    200: {
      description: "Audio, as the provider sends it; MP3 unless it says otherwise.",
      ownHeaders: speechHeaders,
      content: { "audio/*": { schema: { type: "string", format: "binary" } } },
    },
  },
} satisfies OperationDescription;
