import * as z from "zod";
import {
  accessTokenMembers,
  tokenLocations,
  calledByHolder,
  badTokenIsNone,
} from "~/gate/admission/token-placement.openapi";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { respondsJson } from "~/platform/openapi/json-content";
import type { HeaderDescription } from "~/platform/openapi/answer-headers";
import type { RefusalContent } from "~/platform/openapi/problem-answers";
import { errorContent } from "~/platform/openapi/problem-answers";
import { describeQuotaHeaders } from "~/quota/quota-headers.openapi";
import { maxMessageChars, maxMessages, maxParts, maxRequestBytes, maxRequestValues } from "./chat-limits";
import { modelListSchema, toModelList } from "./chat.schema";
import type { ChatEvent } from "./reply/chat-events";

export const chatTag = "Conversation";
const json = "application/json";

const chatErrorSchema = z
  .object({
    error: z.string().describe("The error, in words that stay the same."),
    details: z
      .string()
      .optional()
      .describe(
        "Failures of the answer: what happened, free of secrets. Of a quota: that it is only set aside. May change.",
      ),
    remaining: z.int().min(0).optional().describe("429 only: requests, or tokens, that are left."),
    resetAt: z.string().optional().describe("429 only: when to come back, ISO 8601 in UTC."),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("Messages that do not fit, and bodies that hold too much, only: what is wrong, at most 20."),
    replyId: z
      .string()
      .optional()
      .describe("409 only: the `X-Reply-Id` of the answer that is under way in this conversation."),
    maxBytes: z.int().min(1).optional().describe("Bodies that are too large only: the limit in bytes."),
  })
  .meta({ id: "ChatError", description: "How the chat refuses." });

export const replyIdHeader = {
  description: "Names this answer, where it can be taken up again.",
  required: false,
  schema: { type: "string" },
  example: "5f0c2a86-3f0e-4c55-9f0a-0d5b8a3f6d21",
} as const satisfies HeaderDescription;

export const eventStreamHeader = {
  "x-vercel-ai-ui-message-stream": {
    description: "The version of the event stream.",
    required: true,
    schema: { type: "string" },
    example: "v1",
  },
} as const satisfies Record<string, HeaderDescription>;

const exampleMembers: Partial<Record<RefusalName, Partial<z.infer<typeof chatErrorSchema>>>> = {
  "invalid-messages": {
    errors: [{ path: "messages.0", message: `A message may hold at most ${maxMessageChars} characters` }],
  },
  "body-too-large": { maxBytes: 262_144 },
  "too-many-requests": { remaining: 0, resetAt: "2026-01-15T09:30:12.000Z" },
  "quota-exceeded": { remaining: 0, resetAt: "2026-01-16T09:30:00.000Z" },
  "quota-reserved": {
    remaining: 0,
    resetAt: "2026-01-15T09:30:30.000Z",
    details:
      "4000 of this key's 20000 tokens are set aside for answers under way. What the first of them does not need is there again when it ends.",
  },
  "answer-under-way": { replyId: replyIdHeader.example },
  "provider-failed": { error: "Hosted-provider request failed", details: "HTTP 429: Rate limit reached" },
  "internal-error": {
    error: "Chat request failed",
    details: "The server failed; the request is not at fault.",
  },
};

const otherProviderFailures = [
  ["provider-failed-edge", "Edge-inference provider request failed", "no connection within 10 seconds"],
  [
    "provider-failed-local",
    "Local server connection failed: http://127.0.0.1:11434/v1",
    "connection refused",
  ],
  ["provider-failed-empty", "Chat request failed", "the model ended its answer without a word"],
] as const;

export const chatRefusalContent: RefusalContent = ({ names }) => {
  const values = new Map<string, z.infer<typeof chatErrorSchema>>();
  for (const name of names) {
    values.set(name, { error: refusalTable[name].title, ...exampleMembers[name] });
    if (name !== "provider-failed") continue;
    for (const [example, error, details] of otherProviderFailures) values.set(example, { error, details });
  }
  const examples = [...values].map(([name, value]) => [name, { summary: value.error, value }] as const);
  return { [json]: { schema: chatErrorSchema, examples: Object.fromEntries(examples) } };
};

const question = "What is the one-time form?";
const toolCall = { toolCallId: "search-1", toolName: "libsql_search" };
const searched = { query: question, topK: 5 };
const textEvents = (...deltas: string[]): ChatEvent[] => [
  { type: "start-step" },
  { type: "text-start", id: "text-1" },
  ...deltas.map((delta) => ({ type: "text-delta", id: "text-1", delta }) as const),
  { type: "text-end", id: "text-1" },
  { type: "finish-step" },
];
const answerEvents: ChatEvent[] = [
  { type: "start" },
  { type: "start-step" },
  { type: "tool-input-start", ...toolCall },
  { type: "tool-input-available", ...toolCall, input: searched },
  {
    type: "tool-output-available",
    toolCallId: toolCall.toolCallId,
    output: { ...searched, index: "knowledge", namespace: "__default__", matches: [] },
  },
  { type: "finish-step" },
  ...textEvents("I found nothing ", "about that."),
  { type: "finish", messageMetadata: { finishReason: "stop" } },
];
const brokenEvents: ChatEvent[] = [
  { type: "start" },
  ...textEvents("Half an ans"),
  { type: "error", errorText: "The answer was ended: it took longer than the limit of 30 seconds." },
  { type: "finish", messageMetadata: { finishReason: "error" } },
];

function toStreamExample(events: readonly ChatEvent[]): string {
  const payloads = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
  return payloads.map((data) => `data: ${data}\n\n`).join("");
}

const chatDescription = `Asks the assistant, and streams what it says as server-sent events that the AI SDK's \`useChat\` reads as they are.

The last message of the conversation is the question. Messages are \`{role, content}\`, or what \`useChat\` sends (\`parts\`); of parts, text and the assistant's tool calls with their results are taken. At least one message of the user must hold text, and no message more than ${maxMessageChars} characters. All messages together hold at most ${maxParts} parts. A \`system\` message is taken as context the person sends along; it does not replace the operator's own instructions.

**Who may.** Where the operator requires it, ${tokenLocations} ${badTokenIsNone}

**Quota.** Where it is in force, the headers \`X-Quota-Limit\`, \`X-Quota-Remaining\` and \`X-Quota-Reset\` tell where the key stands, the most this answer can take already set aside.

**Resumable answers.** With an \`id\` and the header \`X-Chat-Resumable: 1\` the answer goes on without its reader, and can be taken up again or stopped. It carries \`X-Reply-Id\`, and each event has a line \`id:\` before its \`data:\`, counted from 1. A client may name its answer in the request's own \`X-Reply-Id\`, 16 to 64 letters, digits, \`_\` and \`-\`, so that it can take up what it has not seen begin; a name that is taken is refused. A conversation has at most one under way. Where answers are not kept, the header is ignored.

What can be refused is refused before the stream opens, in the shape \`{error}\`. A provider that says nothing for ten seconds no longer holds the stream back: it begins with \`start\`, and what fails from then on is an \`error\` event. An answer without text and without a tool call is a failure, before the stream or in it.`;

const streamDescription = `A stream of events, each a line \`data: <JSON>\` and an empty line; at the end \`data: [DONE]\`. Lines that begin with a colon keep the connection alive.

| \`type\` | Further members | Meaning |
|---|---|---|
| \`start\`, \`finish\` | \`finish\`: \`messageMetadata.finishReason\` | The answer as a whole. Reasons: \`stop\`, \`length\`, \`tool-calls\`, \`content-filter\`, \`error\`, \`other\`. |
| \`start-step\`, \`finish-step\` | | One turn of the model and the tools it asked for. |
| \`text-start\`, \`text-delta\`, \`text-end\` | \`id\`; \`delta\` | Text, piece by piece. |
| \`tool-input-start\`, \`tool-input-available\` | \`toolCallId\`, \`toolName\`; \`input\` | A tool is called. |
| \`tool-output-available\`, \`tool-output-error\` | \`toolCallId\`; \`output\` or \`errorText\` | What it answered. |
| \`error\` | \`errorText\` | The answer broke off; \`finish\` follows. |`;

export function describeChat(api: ApiRegistry): void {
  api.addTag({ name: chatTag, description: "Talking with the assistant." });
  api.describe(chatOperation);
}

export function describeModels(api: ApiRegistry): void {
  api.describe(listModelsOperation);
}

/** `chatRequestSchema`, as far as OpenAPI 3.0 can say it. */
const documentedPart = z.object({
  type: z
    .string()
    .describe(
      "`text`, or an assistant's `tool-<name>` or `dynamic-tool` as the AI SDK has them, in the state `output-available`, `output-error` or `input-available`. Others are dropped, and nothing in them is fetched.",
    ),
  text: z.string().optional().describe("Needed in a part of the type `text`."),
});
const documentedMessage = z
  .object({
    id: z.string().optional(),
    role: z.enum(["system", "user", "assistant"]),
    content: z.union([z.string(), z.array(documentedPart).max(maxParts)]).optional(),
    parts: z.array(documentedPart).max(maxParts).optional(),
  })
  .meta({ id: "ChatMessage", description: "With `content` or `parts`; where both are, `parts` count." });
const documentedRequest = z
  .object({
    messages: z.array(documentedMessage).min(1).max(maxMessages),
    model: z.string().nullish().describe("One of the models that `GET /api/models` lists."),
    modelIndex: z.int().nullish().describe("Its place in that list, from 1; beyond the ends the nearest."),
    metadata: z.object({}).nullish().describe("Taken, and not looked at."),
    ...accessTokenMembers,
    id: z
      .string()
      .optional()
      .describe(
        "The conversation's, as `useChat` sends it: 16 to 64 letters, digits, `_` and `-` for a resumable answer.",
      ),
    trigger: z.string().optional().describe("What `useChat` sends along; not looked at."),
  })
  .meta({ id: "ChatRequest" });

const requestContent = {
  schema: documentedRequest,
  examples: {
    plain: { summary: "Role and content", value: { messages: [{ role: "user", content: question }] } },
    useChat: {
      summary: "As useChat sends it",
      value: {
        id: "conversation-0001",
        trigger: "submit-message",
        messages: [{ id: "message-1", role: "user", parts: [{ type: "text", text: question }] }],
      },
    },
  },
};

export const quotaHeadersOfReply = describeQuotaHeaders({
  counted: "Estimated tokens",
  thisAnswer: "the most this answer can take already set aside",
  example: { limit: 20_000, remaining: 18_000 },
});

export const describeText = (description: string, example: string) =>
  z.string().optional().meta({ description, param: { example } });

export const chatOperation = {
  method: "post",
  path: "/api/chat",
  operationId: "chat",
  tag: chatTag,
  summary: "Ask the assistant",
  description: chatDescription,
  limit: "chat",
  malformedBody: "invalid-json-body",
  maxBodyBytes: maxRequestBytes,
  maxBodyValues: maxRequestValues,
  caller: calledByHolder({ scope: "chat", isRequired: "by-setting" }),
  parameters: {
    headers: z.object({
      "X-Chat-Resumable": describeText("`1`: the answer may be taken up again.", "1"),
      "X-Reply-Id": describeText("Names the answer. Default: a new name.", replyIdHeader.example),
    }),
  },
  body: { required: true, content: { [json]: requestContent } },
  refusals: [
    "invalid-json-body",
    "missing-messages",
    "invalid-messages",
    "unknown-model",
    "invalid-reply-id",
    "answer-under-way",
    "reply-id-taken",
    "too-many-answers",
    "quota-exceeded",
    "quota-reserved",
    "provider-failed",
  ],
  refusalContent: chatRefusalContent,
  answers: {
    200: {
      description: streamDescription,
      ownHeaders: { ...quotaHeadersOfReply, ...eventStreamHeader, "X-Reply-Id": replyIdHeader },
      content: {
        "text/event-stream": {
          schema: { type: "string" },
          examples: {
            answer: { summary: "A search and an answer", value: toStreamExample(answerEvents) },
            broken: { summary: "An answer that broke off", value: toStreamExample(brokenEvents) },
          },
        },
      },
    },
  },
} satisfies OperationDescription;

export const listModelsOperation = {
  method: "get",
  path: "/api/models",
  operationId: "listModels",
  tag: chatTag,
  summary: "List the models",
  description:
    "What `model` may name in a chat, in the order that `modelIndex` counts from 1. Public where chat is; where chat requires an access token, so does this. The token is looked for in the Authorization header, the cookies `access_token` and `jwt`, and the query `jwt`, in this order; the first one present decides.",
  limit: "models",
  caller: calledByHolder({ scope: "chat", isRequired: "by-setting", otherwise: "not-read" }),
  refusalContent: errorContent,
  answers: respondsJson("The models, never none.", {
    schema: modelListSchema.meta({ id: "Models" }),
    example: toModelList(["gpt-4o-mini", "gpt-4o"]),
  }),
} satisfies OperationDescription;
