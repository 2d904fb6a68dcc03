import type { Metrics } from "~/platform/metrics/metrics.server";
import { inSpan } from "~/platform/tracing/spans";
import type { Tool } from "./tool";

export type ToolMetrics = Pick<Metrics, "observeToolCall">;

export function instrumentTool(tool: Tool, metrics: ToolMetrics): Tool {
  async function run(call: Parameters<Tool["run"]>[0]): Promise<unknown> {
    const startedAtMs = performance.now();
    let outcome: "ok" | "error" = "error";
    try {
      const output = await tool.run(call);
      outcome = "ok";
      return output;
    } finally {
      const durationSeconds = (performance.now() - startedAtMs) / 1_000;
      metrics.observeToolCall({ tool: tool.name, outcome, durationSeconds });
    }
  }
  const span = { name: `tool ${tool.name}`, attributes: { "gen_ai.tool.name": tool.name } };
  return { ...tool, run: (call) => inSpan(span, () => run(call)) };
}
