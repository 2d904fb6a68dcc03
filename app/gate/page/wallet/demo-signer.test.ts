import { parseTransaction, recoverTransactionAddress } from "viem";
import type { TransactionSerializedEIP1559 } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDemoSigner } from "./demo-signer";

const answers: Record<string, string> = {
  eth_getTransactionCount: "0x0",
  eth_estimateGas: "0x5208",
  eth_gasPrice: "0x3b9aca00",
};

test("the demo wallet signs a transaction that any chain reads as it was meant", async () => {
  const sent: string[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    const { method, params } = JSON.parse(body) as { method: string; params: string[] };
    if (method === "eth_sendRawTransaction") sent.push(params[0]!);
    return Promise.resolve(Response.json({ result: answers[method] ?? "0xabc" }));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const key = generatePrivateKey();
  const request = createDemoSigner(31_337, "http://127.0.0.1/demo/rpc", key);
  const to = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
  // In about every hundredth signature a number begins with a zero, which is left out.
  for (let nonce = 0; nonce < 300; nonce += 1) {
    answers.eth_getTransactionCount = `0x${nonce.toString(16)}`;
    await request({ method: "eth_sendTransaction", params: [{ to, data: "0x1249c58b", value: "0x64" }] });
  }
  for (const [nonce, raw] of sent.entries()) {
    const serialized = raw as TransactionSerializedEIP1559;
    const { nonce: read = 0, ...transaction } = parseTransaction(serialized);
    expect(read).toBe(nonce);
    expect(transaction).toMatchObject({
      chainId: 31_337,
      to,
      data: "0x1249c58b",
      value: 100n,
      gas: 21_000n,
      maxFeePerGas: 2_000_000_000n,
    });
    expect(await recoverTransactionAddress({ serializedTransaction: serialized })).toBe(
      privateKeyToAddress(key),
    );
  }
  expect(sent).toHaveLength(300);
});
