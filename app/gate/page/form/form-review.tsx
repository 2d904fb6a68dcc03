import { useEffect, useState } from "react";
import { countCharacters } from "~/platform/text/well-formed-text";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import type { GateForm } from "../gate-state";
import { capitalized } from "../kinds/key-words";
import type { SignedKey } from "../kinds/signed-key";
import { AddressText } from "../wallet/address-text";

export const formProgress: Record<GateForm["step"], string> = {
  open: "",
  signing: "Sign the form in your wallet.",
  sending: "Sending the form.",
};

type FormReviewProps = {
  /** Exactly what is hashed, signed and sent. */
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
    // A request cannot be recalled, so it cannot be cancelled while it is sent.
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

/** Null until the code that makes the fingerprint has come. */
function useEnvelopePreview(text: string, key: SignedKey): string | null {
  const [preview, setPreview] = useState<string | null>(null);
  useEffect(() => {
    const { origin } = window.location;
    import("../entry/gate-proofs").then(
      ({ previewForm }) => setPreview(previewForm({ text, key, origin })),
      // It is only shown; signing tries to load it again, and says so if it cannot.
      () => undefined,
    );
  }, [text, key]);
  return preview;
}
