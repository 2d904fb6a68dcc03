import { createPaymentStore } from "~/payments/payments.store.server";
import type { Payment } from "~/payments/payments.store.server";
import type { Database } from "~/platform/database/database.server";
import { adding, at, meets } from "../databases/contended-write";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import type { ListedStore } from "../databases/contended-write";
import { nowMs } from "../databases/filled-tables";

export function listPayments(database: Database): ListedStore {
  const store = createPaymentStore(database);
  const wallet = { chainId: 1, payer: "0xaa" } as const;
  const ref = { chainId: 1, recipient: "0xbb", idempotencyKey: "p" } as const;
  const signed = { amountWei: 1n, rawTransaction: "0x02", transactionHash: "0x03", nonce: 8 } as const;
  const times = { maxCost: 1, signedAtBlock: 1n, createdAtMs: nowMs };
  const payment = { ...ref, idempotencyKey: "new", payer: wallet.payer, ...signed, ...times };
  const bound = { limit: 9, sinceMs: 0 };
  const take = () => store.acquireTurn(wallet, "mine", 60);
  const record = () =>
    store.recordSigned({ payment, turn: "turn", bounds: { address: bound, total: bound } });
  const found = { ...ref, state: "signed", blockHash: null } as unknown as Payment;
  const finding = { state: "paid", blockNumber: 1n, blockHash: "0x04", finalAtMs: null } as const;
  const note = () => store.noteFinding(found, { ...finding, cost: 1, countedAtMs: nowMs });
  const outbox = createOutboxStore(database, () => nowMs, ["webhook"]);
  const tell = () =>
    store.markTold(ref, nowMs, (transaction) => outbox.enqueue(transaction, { kind: "k", data: {} }));
  return {
    store,
    reads: ["findPayment", "listOpen", "listUnsettled", "readOpen", "findLastNonce", "sum"],
    writes: {
      acquireTurn: meets(at("PaymentLane"), take, true),
      releaseTurn: meets(at("PaymentLane"), () => store.releaseTurn("turn")),
      recordSigned: meets(adding("PaymentLane", "Payment"), record, { outcome: "recorded" }),
      noteFinding: meets(at("Payment"), note, true),
      markTold: meets(adding("Payment", "Notification"), tell, true),
      reviveFrom: meets(at("Payment"), async () => (await store.reviveFrom(wallet, 9)).length, 1),
    },
  };
}
