import { useEffect, useState, useRef } from "react";
import { countCharacters } from "~/platform/text/well-formed-text";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import type { GateForm, FormReceipt } from "../gate-state";
import { capitalized } from "../kinds/key-words";
import type { SignedKey } from "../kinds/page-kind";
import { AddressText } from "../wallet/address-text";
import { Facts } from "~/ui/facts";
import { Notice } from "~/ui/notice";
import { useCopy } from "~/ui/use-copy";

export const formProgress: Record<GateForm["step"], string> = {
  open: "",
  signing: "Sign the form in your wallet.",
  sending: "Sending the form.",
};

type FormReviewProps = {
  text: string;
  signedKey: SignedKey;
  address: string;
  form: GateForm;
  onConfirm: () => void;
  onClose: () => void;
};

export function FormReview({ text, signedKey, address, form, onConfirm, onClose }: FormReviewProps) {
  const isBusy = form.step !== "open";
  const preview = useEnvelopePreview(text, signedKey);
  return (
    // A form that was sent can't be recalled.
    <Dialog title="Sign and send this?" onClose={() => (form.step === "sending" ? undefined : onClose())}>
      <p className="soft">
        These words, {countCharacters(text).toLocaleString("en")} characters, to the letter:
      </p>
      <blockquote className="review-text">{text}</blockquote>
      <p>
        {capitalized(signedKey.words)} is <strong>used up</strong> by it: afterwards it opens neither this
        form nor the room. Signing costs nothing and moves nothing.
      </p>
      <details className="form-review" open={form.askedText !== null}>
        <summary>What your wallet shows</summary>
        <p className="soft">
          Wallet <AddressText address={address} /> signs this short text. Its line &ldquo;Message&rdquo; is
          the fingerprint of your words: with other words it would be another one.
        </p>
        <pre className="code">{form.askedText ?? preview ?? "…"}</pre>
      </details>
      {isBusy ? (
        <p className="row review-progress">
          <span className="spinner" aria-hidden="true" />
          {formProgress[form.step]}
        </p>
      ) : null}
      <div className="row review-actions">
        <Button onClick={onConfirm} busy={isBusy}>
          Sign and send
        </Button>
        {form.step === "sending" ? null : (
          <Button tone="quiet" onClick={onClose}>
            {isBusy ? "Stop waiting" : "Go back"}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** Null until the code for the hash has loaded. */
function useEnvelopePreview(text: string, key: SignedKey): string | null {
  const [preview, setPreview] = useState<string | null>(null);
  useEffect(() => {
    const { origin } = window.location;
    import("../entry/gate-proofs").then(
      ({ previewForm }) => setPreview(previewForm({ text, key, origin })),
      // Signing loads it again, and reports a failure.
      () => undefined,
    );
  }, [text, key]);
  return preview;
}

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
        {isInferred ? <p>The response was lost, but your key is used now, so the form arrived.</p> : null}
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
  refused: "The browser blocked it. Print the receipt, or select and copy it.",
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
