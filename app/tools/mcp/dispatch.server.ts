import { Refusal } from "~/platform/refusals/refusal";
import { isRecord } from "~/platform/text/json";
import { runTool } from "../run-tool.server";
import type { ToolOutcome } from "../run-tool.server";
import { annotationsOf, toToolOffer } from "../tool";
import type { Tool, ToolCaller } from "../tool";
import { errorCodes } from "./message";
import type { McpRequest } from "./message";
import { handshakeRevisions, serverInfoKey, statelessRevision, supportedRevisions } from "./revision";
import type { Revision, RpcError } from "./revision";
import type { WarnLog } from "~/platform/log/log.server";

export type McpOutcome = { ok: true; result: object } | { ok: false; status: number; error: RpcError };

type McpCall = {
  request: McpRequest;
  revision: Revision;
  caller: ToolCaller;
  signal: AbortSignal;
};

type McpDispatcherOptions = {
  tools: readonly Tool[];
  serverInfo: { name: string; title: string; version: string };
  instructions: string;
  log: WarnLog;
};

type Handler = (call: McpCall) => McpOutcome | Promise<McpOutcome>;

/** For clients that cache the list of tools, which changes with a restart only. */
const listTtlMs = 60_000;
const capabilities = { tools: {} };
/** From this revision on, invalid arguments are reported in a result, which a model can read. */
const argumentsInResultSince = "2025-11-25";

/** Stateless: everything about a caller comes with its request. */
export function createMcpDispatcher({ tools, serverInfo, instructions, log }: McpDispatcherOptions) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const list = { tools: tools.map(describeTool) };
  const meta = { [serverInfoKey]: serverInfo };
  const cacheable = { resultType: "complete", ttlMs: listTtlMs, cacheScope: "public", _meta: meta };
  const discovered = { supportedVersions: supportedRevisions, capabilities, instructions, ...cacheable };

  async function callTool({ request, revision, caller, signal }: McpCall): Promise<McpOutcome> {
    const { name, arguments: input = {} } = request.params;
    const { badParams, failed } = errorCodes;
    if (typeof name !== "string") return fail(badParams, "params.name must be the name of a tool.");
    const tool = byName.get(name);
    if (!tool) return fail(badParams, `There is no tool called ${name.slice(0, 100)} here.`);
    if (!isRecord(input)) return fail(badParams, "params.arguments must be an object.");
    const outcome = await runTool({ tool, input, caller, signal, log });
    if (!outcome.ok) {
      const { errorText, notRun } = outcome;
      if (notRun === "caller") throw new Refusal("missing-jwt", { detail: errorText });
      if (notRun === "arguments" && revision < argumentsInResultSince) return fail(badParams, errorText);
      if (request.dialect === "bare") return fail(failed, errorText);
    }
    const extra = revision === statelessRevision ? { resultType: "complete", _meta: meta } : {};
    return { ok: true, result: { ...toCallResult(outcome), ...extra } };
  }

  function initialize({ request }: McpCall): McpOutcome {
    const wanted = request.params.protocolVersion;
    if (typeof wanted !== "string")
      return fail(errorCodes.badParams, "params.protocolVersion must be a text.");
    const protocolVersion = handshakeRevisions.find((known) => known === wanted) ?? handshakeRevisions[0];
    return { ok: true, result: { protocolVersion, capabilities, serverInfo, instructions } };
  }

  function listTools({ request, revision }: McpCall): McpOutcome {
    if (request.params.cursor !== undefined)
      return fail(errorCodes.badParams, "There is only one page of tools, without a cursor.");
    return { ok: true, result: revision === statelessRevision ? { ...list, ...cacheable } : list };
  }

  const shared: [string, Handler][] = [
    ["tools/list", listTools],
    ["tools/call", callTool],
  ];
  const afterHandshake = new Map<string, Handler>([
    ...shared,
    ["initialize", initialize],
    ["ping", () => ({ ok: true, result: {} })],
  ]);
  const stateless = new Map<string, Handler>([
    ...shared,
    ["server/discover", () => ({ ok: true, result: discovered })],
  ]);

  return async function dispatch(call: McpCall): Promise<McpOutcome> {
    const isStateless = call.revision === statelessRevision;
    const { method } = call.request;
    const handler = (isStateless ? stateless : afterHandshake).get(method);
    if (handler) return handler(call);
    const message = `There is no method called ${method.slice(0, 100)} here.`;
    return fail(errorCodes.unknownMethod, message, isStateless ? 404 : 200);
  };
}

export type McpDispatcher = ReturnType<typeof createMcpDispatcher>;

function describeTool(tool: Tool) {
  const { name, description, inputJsonSchema } = toToolOffer(tool);
  const annotations = { ...annotationsOf(tool), openWorldHint: false };
  return { name, description, inputSchema: inputJsonSchema, annotations };
}

function fail(code: number, message: string, status = 200): McpOutcome {
  return { ok: false, status, error: { code, message } };
}

function toCallResult(outcome: ToolOutcome): Record<string, unknown> {
  if (!outcome.ok) return { content: [{ type: "text", text: outcome.errorText }], isError: true };
  const { output, outputText } = outcome;
  const text = typeof output === "string" ? output : outputText;
  return { content: [{ type: "text", text }], ...(isRecord(output) && { structuredContent: output }) };
}
