import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { shortenTimers } from "~e2e/support/measure/shortened-timers";
import { waitUntil } from "~e2e/support/processes";
import { talkingForever } from "~e2e/support/providers/openai-server";
import { localProvider, openChat, openLedger, quotaOn, readRest, readUntil } from "./chat-fixture";
import { signInNew, startChatServer, startProvider } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: limitsOff });
});
afterAll(() => gate.close());

test("a reader that takes nothing for a minute is cut off: the provider's call ends and the quota is settled", async () => {
  const provider = await startProvider(talkingForever("\u0001".repeat(8 * 1024)));
  const started = await startChatServer({
    gate,
    env: {
      ...quotaOn,
      ...localProvider(provider),
      AI_CHAT_MAX_OUTPUT_TOKENS: "1000000",
      AI_CHAT_QUOTA_TOKENS: "5000000",
    },
    nodeOptions: shortenTimers({ kind: "setInterval", fromMs: 15_000, toMs: 100 }),
  });
  const { bearer, tokenId } = await signInNew(gate, started);
  const ledger = await openLedger(gate, started.server);
  const { incoming } = await openChat({ port: started.server.port, headers: bearer });
  const gone = new Promise((resolve) => incoming.once("close", resolve));
  // Active readers are not affected, however long the reply.
  await readUntil(incoming, "text-delta");
  await provider.calls[0]!.closed;
  await waitUntil(async () => (await ledger.readStanding(tokenId)).reserved === 0);
  expect((await ledger.readStanding(tokenId)).used).toBeGreaterThan(0);
  incoming.resume();
  await gone;
  expect(incoming.complete).toBe(false);
});

test("the metrics count a stream while it is open", async () => {
  let goOn = () => {};
  const received = new Promise<void>((resolve) => (goOn = resolve));
  const provider = await startProvider(async (call) => {
    await call.text("one ");
    await received;
    await call.finish();
  });
  const token = "metrics-token-of-the-tests-0123";
  const started = await startChatServer({ gate, env: { ...localProvider(provider), METRICS_TOKEN: token } });
  const { bearer } = await signInNew(gate, started);
  const headers = { Authorization: `Bearer ${token}` };
  const countOpen = async () => {
    const { body } = await started.ask({ path: "/metrics", headers });
    return /^latchkey_open_streams\{route="\/api\/chat"\} (\d+)$/m.exec(String(body.text))?.[1];
  };
  const { incoming } = await openChat({ port: started.server.port, headers: bearer });
  await readUntil(incoming, "one ");
  expect(await countOpen()).toBe("1");
  goOn();
  await readRest(incoming);
  await waitUntil(async () => (await countOpen()) === "0");
});
