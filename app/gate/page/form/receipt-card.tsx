import { useEffect, useRef } from "react";
import { Button } from "~/ui/button";
import { Facts } from "~/ui/facts";
import { Notice } from "~/ui/notice";
import { useCopy } from "~/ui/use-copy";

/** The visitor's own copy of a form that was sent. */
export type FormReceipt = {
  /** "key #7" */
  keyWords: string;
  address: string;
  host: string;
  text: string;
  /** keccak256 of the text: the fingerprint that the wallet signed. */
  messageHash: string;
  sentAtMs: number;
  /** The answer was lost on the way; that the key is used by this wallet now is the proof. */
  isInferred: boolean;
};

export function receiptText(receipt: FormReceipt): string {
  const { keyWords, address, host, text, messageHash, sentAtMs } = receipt;
  return [
    `Receipt of the form sent with ${keyWords}`,
    "",
    `Site: ${host}`,
    `Key: ${keyWords.replace(/^key /, "")}`,
    `Wallet: ${address}`,
    `Sent: ${new Date(sentAtMs).toISOString()}`,
    `Fingerprint (keccak256): ${messageHash}`,
    "",
    text,
    "",
  ].join("\n");
}

export function ReceiptCard({ receipt }: { receipt: FormReceipt }) {
  const { keyWords, address, host, text, messageHash, sentAtMs, isInferred } = receipt;
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.focus(), []);
  return (
    <section
      ref={card}
      tabIndex={-1}
      className="stack card receipt focus-place"
      aria-labelledby="receipt-heading"
    >
      <h3 id="receipt-heading">Your receipt</h3>
      <Notice tone="success" title="Received">
        <p>Your message has been delivered, and {keyWords} is now used. It does not open the form again.</p>
        {isInferred ? (
          <p>
            The answer was lost on the way; that the key is used by your wallet now shows that the form
            arrived.
          </p>
        ) : null}
      </Notice>
      <blockquote className="review-text">{text}</blockquote>
      <Facts
        rows={{
          Sent: (
            <time dateTime={new Date(sentAtMs).toISOString()}>{new Date(sentAtMs).toLocaleString()}</time>
          ),
          To: host,
          Key: keyWords.replace(/^key /, ""),
          Wallet: <code>{address}</code>,
          Fingerprint: <code>{messageHash}</code>,
        }}
      />
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

const copyWords = {
  copied: "Copied.",
  refused: "The browser does not allow it; print it, or mark and copy it by hand.",
};

function CopyReceipt({ receipt }: { receipt: FormReceipt }) {
  const { outcome, copy } = useCopy(null);
  return (
    <>
      <Button tone="quiet" onClick={() => void copy(receiptText(receipt))}>
        Copy the receipt
      </Button>
      <span role="status">{outcome === null ? "" : copyWords[outcome]}</span>
    </>
  );
}
