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

/** `result` is JSON text: the list of tools, which is asked for most, is written once and not for each caller. */
export type McpOutcome = { ok: true; result: string } | { ok: false; status: number; error: RpcError };

type McpCall = {
  request: McpRequest;
  revision: Revision;
  caller: ToolCaller;
  openSignal: () => AbortSignal;
};

type McpDispatcherOptions = {
  tools: readonly Tool[];
  serverInfo: { name: string; title: string; version: string };
  instructions: string;
  log: WarnLog;
};

type Handler = (call: McpCall) => McpOutcome | Promise<McpOutcome>;

/** How long a client may keep the list of tools: it changes with the settings, so with a restart, and no sooner. */
const listTtlMs = 60_000;
const capabilities = { tools: {} };
/** From this revision on, arguments that do not fit are told in a result, which a model can read and do better. */
const argumentsInResultSince = "2025-11-25";

/** Holds no state of any caller: what it needs of a request comes with the request. */
export function createMcpDispatcher({ tools, serverInfo, instructions, log }: McpDispatcherOptions) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const list = { tools: tools.map(describeTool) };
  const meta = { [serverInfoKey]: serverInfo };
  const cacheable = { resultType: "complete", ttlMs: listTtlMs, cacheScope: "public", _meta: meta };
  const listText = toPlainJson(list);
  const statelessListText = toPlainJson({ ...list, ...cacheable });
  const discovered = { supportedVersions: supportedRevisions, capabilities, instructions, ...cacheable };
  const discoverText = toPlainJson(discovered);

  async function callTool({ request, revision, caller, openSignal }: McpCall): Promise<McpOutcome> {
    const { name, arguments: input = {} } = request.params;
    const { badParams, failed } = errorCodes;
    if (typeof name !== "string") return fail(badParams, "params.name must be the name of a tool.");
    const tool = byName.get(name);
    if (!tool) return fail(badParams, `There is no tool called ${name.slice(0, 100)} here.`);
    if (!isRecord(input)) return fail(badParams, "params.arguments must be an object.");
    const outcome = await runTool({ tool, input, caller, signal: openSignal(), log });
    if (!outcome.ok) {
      const { errorText, notRun } = outcome;
      if (notRun === "caller") throw new Refusal("missing-jwt", { detail: errorText });
      if (notRun === "arguments" && revision < argumentsInResultSince) return fail(badParams, errorText);
      if (request.dialect === "bare") return fail(failed, errorText);
    }
    const extra = revision === statelessRevision ? { resultType: "complete", _meta: meta } : {};
    return { ok: true, result: JSON.stringify({ ...toCallResult(outcome), ...extra }) };
  }

  function initialize({ request }: McpCall): McpOutcome {
    const wanted = request.params.protocolVersion;
    if (typeof wanted !== "string")
      return fail(errorCodes.badParams, "params.protocolVersion must be a text.");
    const protocolVersion = handshakeRevisions.find((known) => known === wanted) ?? handshakeRevisions[0];
    return { ok: true, result: JSON.stringify({ protocolVersion, capabilities, serverInfo, instructions }) };
  }

  function listTools({ request, revision }: McpCall): McpOutcome {
    if (request.params.cursor !== undefined)
      return fail(errorCodes.badParams, "There is only one page of tools, without a cursor.");
    return { ok: true, result: revision === statelessRevision ? statelessListText : listText };
  }

  const shared: [string, Handler][] = [
    ["tools/list", listTools],
    ["tools/call", callTool],
  ];
  const afterHandshake = new Map<string, Handler>([
    ...shared,
    ["initialize", initialize],
    ["ping", () => ({ ok: true, result: "{}" })],
  ]);
  const stateless = new Map<string, Handler>([
    ...shared,
    ["server/discover", () => ({ ok: true, result: discoverText })],
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

/**
 * In ASCII, as JSON can be. A single character beyond Latin-1 would make the engine keep the whole text in two bytes a
 * character, which makes every answer slower to send; the way through a buffer makes it forget that it ever did.
 */
function toPlainJson(value: unknown): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify(value).replace(/[^\0-\x7f]/g, escape);
  return Buffer.from(text, "latin1").toString("latin1");
}

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
