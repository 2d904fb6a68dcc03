import { expect, test } from "vitest";
import { ProviderError } from "~/chat/providers/chat-provider";
import type { Config } from "~/settings.server";
import type { Log } from "~/platform/log/log.server";
import { TimeoutFault } from "~/platform/providers/provider-http.gateway.server";
import { createLogLines } from "~e2e/support/log-lines";
import { createMetrics } from "~/platform/metrics/metrics.server";
import type { QuotaLedger } from "~/quota/quota.server";
import { wireInstruments } from "./instrument.server";

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
    const { provider } = await wireInstruments({ config, instance: "a", metrics: createMetrics(), log });
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
  const { chain } = await wireInstruments({ config, instance: "a", metrics: createMetrics(), log });
  chain.onFault({ endpoint: "rpc.example", reason: "It did not answer in time." });
  chain.onFault({ endpoint: "rpc.example", reason: null });
  expect(lines).toEqual([
    ["warn", "RPC endpoint failed", { endpoint: "rpc.example", reason: "It did not answer in time." }],
    ["info", "RPC endpoint recovered", { endpoint: "rpc.example" }],
  ]);
});

test("what is settled is counted once, and not where it was settled before", async () => {
  const metrics = createMetrics();
  const config = { tracing: null, mode: "production" } as Config;
  const { log } = createLogLines();
  const { instrumentLedger } = await wireInstruments({ config, instance: "a", metrics, log });
  let isOpen = true;
  const settle = async () => {
    const wasOpen = isOpen;
    isOpen = false;
    return wasOpen;
  };
  const ledger = instrumentLedger({ kind: "token", ledger: { settle } as unknown as QuotaLedger });
  for (let times = 0; times < 2; times++) await ledger.settle({ reservationId: "r", usedTokens: 2.5 });
  const settled = /^latchkey_quota_settled_total\{kind="token"\} (\d+)$/m;
  expect(settled.exec((await metrics.render()).body)?.[1]).toBe("3");
});
