import { useEffect, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";

/** What is left of a form that was sent: the visitor's own copy, made of what they had before them. */
export type FormReceipt = {
  tokenId: string;
  address: string;
  /** Of the site it was sent to. */
  host: string;
  text: string;
  /** keccak256 of the text: the fingerprint that the wallet signed. */
  messageHash: string;
  sentAtMs: number;
  /** The answer was lost on the way; that the key is used by this wallet now is the proof. */
  isInferred: boolean;
};

export function receiptText(receipt: FormReceipt): string {
  const { tokenId, address, host, text, messageHash, sentAtMs } = receipt;
  return [
    `Receipt of the form sent with key #${tokenId}`,
    "",
    `Site: ${host}`,
    `Key: #${tokenId}`,
    `Wallet: ${address}`,
    `Sent: ${new Date(sentAtMs).toISOString()}`,
    `Fingerprint (keccak256): ${messageHash}`,
    "",
    text,
    "",
  ].join("\n");
}

export function ReceiptCard({ receipt }: { receipt: FormReceipt }) {
  const { tokenId, address, host, text, messageHash, sentAtMs, isInferred } = receipt;
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.focus(), []);
  return (
    <section ref={card} tabIndex={-1} className="card receipt focus-place" aria-labelledby="receipt-heading">
      <h3 id="receipt-heading">Your receipt</h3>
      <Notice tone="success" title="Received">
        <p>
          Your message has been delivered, and key #{tokenId} is now used. It does not open the form again.
        </p>
        {isInferred ? (
          <p>
            The answer was lost on the way; that the key is used by your wallet now shows that the form
            arrived.
          </p>
        ) : null}
      </Notice>
      <blockquote className="review-text">{text}</blockquote>
      <dl className="facts">
        <dt>Sent</dt>
        <dd>
          <time dateTime={new Date(sentAtMs).toISOString()}>{new Date(sentAtMs).toLocaleString()}</time>
        </dd>
        <dt>To</dt>
        <dd>{host}</dd>
        <dt>Key</dt>
        <dd>#{tokenId}</dd>
        <dt>Wallet</dt>
        <dd>
          <code>{address}</code>
        </dd>
        <dt>Fingerprint</dt>
        <dd>
          <code>{messageHash}</code>
        </dd>
      </dl>
      <div className="row receipt-actions">
        <CopyReceipt receipt={receipt} />
        <Button tone="quiet" onClick={() => window.print()}>
          Print
        </Button>
      </div>
      <p className="soft receipt-actions">
        It is kept nowhere but here: it is gone when you leave this page.
      </p>
    </section>
  );
}

function CopyReceipt({ receipt }: { receipt: FormReceipt }) {
  const [outcome, setOutcome] = useState("");

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(receiptText(receipt));
      setOutcome("Copied.");
    } catch {
      // Not over plain HTTP, and not where the browser's owner forbids it.
      setOutcome("The browser does not allow it; print it, or mark and copy it by hand.");
    }
  }

  return (
    <>
      <Button tone="quiet" onClick={() => void copy()}>
        Copy the receipt
      </Button>
      <span role="status">{outcome}</span>
    </>
  );
}
