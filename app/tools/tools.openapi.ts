import * as z from "zod";
import { accessTokenMembers, tokenLocations, calledByHolder } from "~/gate/admission/token-placement.openapi";
import { refusalTable } from "~/platform/refusals/refusal";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { respondsJson } from "~/platform/openapi/json-content";
import type { RefusalContent } from "~/platform/openapi/problem-answers";
import { errorCodes, maxBodyBytes, maxBodyValues, toErrorCode } from "./mcp/message";
import { describeResource } from "./mcp/resource-metadata";
import { statelessRevision, supportedRevisions } from "./mcp/revision";
import { maxToolOutputBytes } from "./tool";

const tag = "Tools";
const json = "application/json";

const idSchema = z
  .union([z.string(), z.int()])
  .describe("Comes back with the answer, where `jsonrpc` was sent. Not for bare messages.");

const messageSchema = z
  .object({
    jsonrpc: z.literal("2.0").optional().describe("Left out: a bare message, with a bare answer."),
    id: idSchema.optional(),
    method: z.string().describe("`tools/list`, `tools/call`, or another method of the protocol."),
    params: z.looseObject({}).meta({ type: "object", additionalProperties: true }).optional(),
    ...accessTokenMembers,
  })
  .meta({ id: "ToolMessage" });

const rpcErrorSchema = z
  .object({
    code: z.int().describe("See the table of codes."),
    message: z.string(),
    data: z
      .object({ supported: z.array(z.string()), requested: z.string() })
      .optional()
      .describe("Revisions that are not supported only."),
  })
  .meta({ id: "ToolError" });

const jsonrpc = z.literal("2.0").optional().describe("Where the message had it.");
/** OpenAPI 3.0 can't say that its ID may be null. */
const failureSchema = z.looseObject({ jsonrpc, error: rpcErrorSchema }).meta({
  id: "ToolFailure",
  type: "object",
  additionalProperties: true,
  description:
    "Beside `error`, where the message had `jsonrpc`: that and its `id`, which is null where it could not be read.",
});
const anyResult = z
  .looseObject({})
  .meta({ id: "ToolResult", type: "object", additionalProperties: true, description: "By the method." });
const answerSchema = z
  .object({
    jsonrpc,
    id: idSchema.optional(),
    result: anyResult.optional(),
    error: rpcErrorSchema.optional(),
  })
  .meta({ id: "ToolAnswer", description: "With `result` or `error`." });

const onlyPostSchema = z.object({ error: z.string() }).meta({ id: "OnlyPost" });

const refusalContent: RefusalContent = ({ names, status }) => {
  if (status === 405) {
    return {
      [json]: { schema: onlyPostSchema, example: { error: "MCP endpoint only supports POST requests" } },
    };
  }
  const examples = names.map((name) => {
    const { title } = refusalTable[name];
    const value = { error: { code: toErrorCode(name), message: title } };
    return [name, { summary: title, value }] as const;
  });
  return { [json]: { schema: failureSchema, examples: Object.fromEntries(examples) } };
};

const description = `Lists the tools and runs them, for programs and for clients of the Model Context Protocol.

**Bare JSON-RPC** (no \`jsonrpc\`): the answer is \`{result}\` or \`{error: {code, message}}\`, nothing else.

**MCP** (\`jsonrpc: "2.0"\`): Streamable HTTP, without sessions and with JSON answers; revisions ${supportedRevisions.join(", ")}. One message in each request; notifications get 202.

**Who may.** Where the operator requires it for the conversation, ${tokenLocations} A token that is sent has to be right even where none is required. Tools about one's own key need one always.

**Hosts.** The host that is named, and the origin where one is sent, must be the site's own.

| Code | Meaning |
|---|---|
| -32700 | not JSON (400) |
| -32600 | not a message, or a batch; more than one Authorization header (400) |
| -32601 | no such method |
| -32602 | bad parameters: no such tool, arguments that do not fit |
| -32001 | the access token is missing or not good (401) |
| -32000 | a tool failed, in an answer to a bare message (200); too many requests (429), or something is away for a moment (503) |
| -32603 | a defect of ours (500) |
| -32020, -32022 | headers and message disagree; a revision that is not supported (400) |

A tool that fails says in words what was wrong: to a bare message as \`{error: {code: -32000, message}}\`, to MCP clients as a result with \`isError: true\`. From revision 2025-11-25 on, those are told of arguments that do not fit in the same way. An answer of more than ${maxToolOutputBytes / 1024} KiB is such a failure; what is shorter is handed on whole.`;

const exampleTools = {
  tools: [
    {
      name: "key_status",
      description: "Tells whether a key exists, who owns it and whether it has been used, by its token id.",
      inputSchema: { type: "object", properties: { tokenId: { type: "string" } }, required: ["tokenId"] },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  ],
};
const exampleStatus = { tokenId: "42", exists: true, owner: null, used: false };
const exampleCall = {
  content: [{ type: "text", text: JSON.stringify(exampleStatus) }],
  structuredContent: exampleStatus,
};
const overMcp = { jsonrpc: "2.0", id: 1 };

const call = { method: "tools/call", params: { name: "key_status", arguments: { tokenId: "42" } } };
const bodyExamples = {
  list: { summary: "Which tools there are", value: { method: "tools/list" } },
  call: { summary: "Call one", value: call },
  mcp: { summary: "The same over MCP", value: { ...overMcp, ...call } },
};
const unknown = { code: errorCodes.unknownMethod, message: "There is no method called tools/none here." };
const failed = { code: errorCodes.failed, message: "The tool did not answer within 10 seconds." };
const failedOverMcp = { content: [{ type: "text", text: failed.message }], isError: true };
const answerExamples = {
  list: { summary: "The tools", value: { result: exampleTools } },
  call: { summary: "What a tool answered", value: { result: exampleCall } },
  mcp: { summary: "The same over MCP", value: { ...overMcp, result: exampleCall } },
  unknown: { summary: "No such method", value: { error: unknown } },
  failed: { summary: "A tool that failed", value: { error: failed } },
  mcpFailed: { summary: "The same over MCP", value: { ...overMcp, result: failedOverMcp } },
};

export function describeTools(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "What programs and models may do here." });
  api.describe(callToolsOperation);
  api.describe(getProtectedResourceOperation(api.findPath("/api/mcp")));
}

const resourceSchema = z
  .object({
    resource: z.string(),
    resource_name: z.string(),
    resource_documentation: z.string(),
    bearer_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
  })
  .meta({ id: "ProtectedResource" });

export const callToolsOperation = {
  method: "post",
  path: "/api/mcp",
  operationId: "callTools",
  tag,
  summary: "List and call tools",
  description,
  limit: "mcp",
  malformedBody: "invalid-json-body",
  maxBodyBytes,
  maxBodyValues,
  caller: calledByHolder({ scope: "tools", isRequired: "by-setting", otherwise: "good-if-sent" }),
  body: { required: true, content: { [json]: { schema: messageSchema, examples: bodyExamples } } },
  refusals: ["invalid-json-body", "invalid-request", "host-not-allowed"],
  refusalContent,
  answers: {
    200: {
      description: "The result, or what was wrong with the call.",
      content: { [json]: { schema: answerSchema, examples: answerExamples } },
    },
    202: { description: "A notification: taken, and nothing to say." },
    404: {
      description: `Revision ${statelessRevision} only: no such method.`,
      content: { [json]: { schema: failureSchema, example: { ...overMcp, error: unknown } } },
    },
  },
} satisfies OperationDescription;

export function getProtectedResourceOperation(mcpPath = "/api/mcp"): OperationDescription {
  return {
    method: "get",
    path: "/.well-known/oauth-protected-resource/{file}",
    operationId: "getProtectedResource",
    tag,
    summary: "Read how the tools take access tokens",
    description: `Protected resource metadata (RFC 9728) of the tools' address, which stands behind the well-known path: \`/.well-known/oauth-protected-resource${mcpPath}\`. Without it the same is answered. There is no authorization server: tokens are made at \`POST /api/gate-access\`.`,
    parameters: {
      params: z.object({
        file: z.string().meta({ description: "The tools' path.", param: { example: mcpPath.slice(1) } }),
      }),
    },
    refusals: ["not-found"],
    answers: respondsJson("The metadata.", {
      schema: resourceSchema,
      example: describeResource("https://gate.example", mcpPath),
    }),
  };
}
