import { expect, test } from "vitest";
import type { Config } from "~/settings.server";
import type { Log } from "~/platform/log.server";
import { createMetrics } from "~/platform/metrics.server";
import { wireInstruments } from "./instrument.server";

test("an RPC endpoint that fails and recovers is logged in words of its own for each", async () => {
  const lines: unknown[] = [];
  const noteAs = (level: string) => (fields: object, message: string) =>
    void lines.push([level, message, fields]);
  const log = { info: noteAs("info"), warn: noteAs("warn") } as unknown as Log;
  const config = { tracing: null, mode: "production" } as Config;
  const { chain } = await wireInstruments({ config, instance: "a", metrics: createMetrics(), log });
  chain.onFault({ endpoint: "rpc.example", reason: "It did not answer in time." });
  chain.onFault({ endpoint: "rpc.example", reason: null });
  expect(lines).toEqual([
    ["warn", "RPC endpoint failed", { endpoint: "rpc.example", reason: "It did not answer in time." }],
    ["info", "RPC endpoint recovered", { endpoint: "rpc.example" }],
  ]);
});
