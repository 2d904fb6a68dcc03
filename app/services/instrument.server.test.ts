import { expect, test } from "vitest";
import { ProviderError } from "~/chat/providers/chat-provider";
import type { Config } from "~/settings.server";
import type { Log } from "~/platform/log/log.server";
import { TimeoutFault } from "~/platform/providers/provider-http.gateway.server";
import { createLogLines } from "~e2e/support/log-lines";
import { createMetrics } from "~/platform/metrics/metrics.server";
import { createInstruments } from "./instrument.server";

const causes = { connect: new TimeoutFault("no connection within 10 seconds"), other: new Error("HTTP 500") };

test.each([
  ["timed out", causes.connect, ["provider timed out"]],
  ["failed otherwise", causes.other, []],
  ["was ended by the client", undefined, []],
])(
  "a provider call that %s is logged as `provider timed out` only if it did",
  async (_name, cause, expected) => {
    const { log, entries } = createLogLines();
    const config = { tracing: null, mode: "production" } as Config;
    const { provider } = await createInstruments({ config, instance: "a", metrics: createMetrics(), log });
    const error = new ProviderError({ provider: "openai", message: "failed", details: "", cause });
    provider({ kind: "chat", provider: "openai" }).end("error", error);
    expect(entries().map(({ msg }) => msg)).toEqual(expected);
  },
);

test("an RPC endpoint that fails and recovers is logged in words of its own for each", async () => {
  const lines: unknown[] = [];
  const noteAs = (level: string) => (fields: object, message: string) =>
    void lines.push([level, message, fields]);
  const log = { info: noteAs("info"), warn: noteAs("warn") } as unknown as Log;
  const config = { tracing: null, mode: "production" } as Config;
  const { chain } = await createInstruments({ config, instance: "a", metrics: createMetrics(), log });
  chain.onFault({ endpoint: "rpc.example", reason: "It did not respond in time." });
  chain.onFault({ endpoint: "rpc.example", reason: null });
  expect(lines).toEqual([
    ["warn", "RPC endpoint failed", { endpoint: "rpc.example", reason: "It did not respond in time." }],
    ["info", "RPC endpoint recovered", { endpoint: "rpc.example" }],
  ]);
});
