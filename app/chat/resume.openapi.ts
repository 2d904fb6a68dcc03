import * as z from "zod";
import { accessTokenQuery, badTokenIsNone, calledByHolder } from "~/gate/admission/token-placement.openapi";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import {
  chatRefusalContent,
  chatTag,
  describeText,
  eventStreamHeader,
  quotaHeadersOfReply,
  replyIdHeader,
} from "./chat.openapi";

export function describeResume(api: ApiRegistry): void {
  api.describe(resumeChatOperation);
  api.describe(stopChatOperation);
}

const conversationParams = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/)
    .meta({ description: "The conversation's id, as sent.", param: { example: "conversation-0001" } }),
});

const caller = calledByHolder({ scope: "chat", isRequired: "by-setting" });

const whose = `An answer belongs to the key and the wallet whose token it began with; a renewed token of both is as good. Where it began without one, the id of the conversation alone decides. ${badTokenIsNone}`;

const example = 'id: 7\ndata: {"type":"text-delta","id":"text-1","delta":"about that."}\n\n';

export const resumeChatOperation = {
  method: "get",
  path: "/api/chat/{id}/stream",
  operationId: "resumeChat",
  tag: chatTag,
  summary: "Take up an answer again",
  description: `The newest answer of a conversation that began as resumable: everything, or what comes after the event that was read last; then live, to its end. Events, ids and headers are those that the first reader got, whichever instance is asked; \`X-Quota-*\` say where the key stood when the answer began. Of headers only those of the rate limit, of the request's id and of the date are this request's own.

${whose}

Whoever has seen more than was stored when the server that wrote an answer ended gets its ending all the same: an \`error\` event, \`finish\` and the end mark, with ids that go on from what was stored. Whoever is cut off within such an ending gets it again.`,
  limit: "chat-resume",
  caller,
  parameters: {
    params: conversationParams,
    headers: z.object({ "Last-Event-ID": describeText("The id of the last event that was read.", "6") }),
    query: accessTokenQuery.extend({
      after: describeText("The same, where the header cannot be sent.", "6"),
      reply: describeText(
        "The `X-Reply-Id` of the answer that is meant: 204 where the newest is another one.",
        replyIdHeader.example,
      ),
    }),
  },
  refusalContent: chatRefusalContent,
  answers: {
    200: {
      description: "The events, as the chat describes them, each with its id.",
      ownHeaders: {
        ...quotaHeadersOfReply,
        ...eventStreamHeader,
        "X-Reply-Id": { ...replyIdHeader, required: true },
      },
      content: {
        "text/event-stream": {
          schema: { type: "string" },
          examples: { rest: { summary: "The rest of an answer", value: `${example}data: [DONE]\n\n` } },
        },
      },
    },
    204: { description: "There is no such answer, or it is somebody else's, or it ended too long ago." },
  },
} satisfies OperationDescription;

export const stopChatOperation = {
  method: "post",
  path: "/api/chat/{id}/stop",
  operationId: "stopChat",
  tag: chatTag,
  summary: "Stop an answer",
  description: `Ends the answer of a conversation that is under way, for all who read it: the text so far, \`finish\` with the reason \`stop\`, and the end mark. The quota counts what was said. No body is read. With \`X-Reply-Id\`: only the answer of that name; if its question is still on its way, it cannot begin any more.

${whose}`,
  limit: "chat-resume",
  caller,
  parameters: {
    params: conversationParams,
    headers: z.object({ "X-Reply-Id": describeText("Which answer is meant.", replyIdHeader.example) }),
  },
  refusals: ["invalid-reply-id"],
  refusalContent: chatRefusalContent,
  answers: {
    204: { description: "It ends now. Also if nothing is under way, or if it is somebody else's." },
  },
} satisfies OperationDescription;
