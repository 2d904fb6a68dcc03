import { expect, test } from "vitest";
import { PaymentRefused } from "~/payments/payment-refused";
import { runTool } from "./run-tool.server";
import { createSendCryptoTool } from "./send-crypto-tool";
import type { PayHolder } from "./send-crypto-tool";
import { mayOfferToModel, mayRun } from "./tool";
import type { ToolCaller } from "./tool";
import { someKey } from "~e2e/support/key-kinds";

const holder = { ...someKey, scopes: ["tools"] };
const good = { amount: "0.0005", idempotencyKey: "payment-1" };

async function run({
  input,
  caller = holder,
  pay,
}: {
  input: unknown;
  caller?: ToolCaller;
  pay?: PayHolder;
}) {
  const calls: Parameters<PayHolder>[0][] = [];
  const tool = createSendCryptoTool(async (call) => {
    calls.push(call);
    return pay ? await pay(call) : { status: "paid" };
  });
  const { signal } = new AbortController();
  const outcome = await runTool({
    tool,
    input,
    caller,
    signal,
    log: { warn: () => undefined },
  });
  return { outcome, calls };
}

test("the signed-in wallet is paid, and no argument can name another", async () => {
  const { outcome, calls } = await run({ input: good });
  expect(outcome).toMatchObject({ ok: true, output: { status: "paid" } });
  expect(calls).toEqual([{ ...good, holder, signal: expect.any(AbortSignal) as AbortSignal }]);
  for (const name of ["to", "address", "recipient"]) {
    const diverted = await run({ input: { ...good, [name]: "0xdef" } });
    expect(diverted.outcome).toMatchObject({ ok: false, notRun: "arguments" });
    expect(diverted.calls).toEqual([]);
  }
});

test("a caller without a token for tools is not paid", async () => {
  for (const caller of [null, { ...holder, scopes: ["chat"] }, { ...holder, scopes: [] }]) {
    const { outcome, calls } = await run({ input: good, caller });
    expect(outcome).toMatchObject({ ok: false, notRun: "caller" });
    expect(calls).toEqual([]);
  }
});

test.each([
  "",
  " 1",
  "1 ",
  "-1",
  "+1",
  "1e-3",
  "0x1",
  ".5",
  "1.",
  "01",
  "1,5",
  `0.${"1".repeat(19)}`,
  "1000000",
  1,
  null,
])("the amount %j is refused", async (amount) => {
  const { outcome, calls } = await run({ input: { ...good, amount } });
  expect(outcome).toMatchObject({ ok: false, notRun: "arguments" });
  expect(calls).toEqual([]);
});

test.each(["0", "1", "0.5", "999999", `0.${"1".repeat(18)}`])("the amount %j is accepted", async (amount) => {
  expect((await run({ input: { ...good, amount } })).outcome.ok).toBe(true);
});

test("an idempotency key is required and has 8 to 100 plain characters", async () => {
  for (const idempotencyKey of ["x".repeat(8), "x".repeat(100), "a:b.c-d_e"]) {
    expect((await run({ input: { ...good, idempotencyKey } })).outcome.ok).toBe(true);
  }
  for (const idempotencyKey of ["x".repeat(7), "x".repeat(101), "with space", "ключ-ключ", undefined]) {
    const { outcome } = await run({ input: { ...good, idempotencyKey } });
    expect(outcome).toMatchObject({ ok: false, notRun: "arguments" });
  }
});

test("the reason for no payment is given in words, and none for a defect", async () => {
  const refused = await run({ input: good, pay: () => Promise.reject(new PaymentRefused("Too little.")) });
  expect(refused.outcome).toEqual({ ok: false, errorText: "Too little." });
  const broken = await run({ input: good, pay: () => Promise.reject(new Error("secret")) });
  expect(broken.outcome).toEqual({ ok: false, errorText: "The tool failed." });
});

test("a model is offered tools that read, holders their own too, and none that destroys, spends or does not say", () => {
  const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  const destructive = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
  const offered = mayOfferToModel;
  for (const caller of [null, holder]) expect(offered({}, caller)).toBe(false);
  expect(offered({ annotations: reading }, null)).toBe(true);
  expect(offered({ annotations: reading, requires: "holder" }, null)).toBe(false);
  expect(offered({ annotations: reading, requires: "holder" }, holder)).toBe(true);
  for (const caller of [null, holder]) {
    expect(offered({ annotations: destructive }, caller)).toBe(false);
    expect(offered({ annotations: destructive, requires: "holder" }, caller)).toBe(false);
  }
  const tool = createSendCryptoTool(() => Promise.resolve({}));
  expect([mayRun(tool, holder), offered(tool, holder)]).toEqual([true, false]);
});
