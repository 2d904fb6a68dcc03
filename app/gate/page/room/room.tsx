import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { GatedContent } from "~/content/content.schema";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { draftName, dropDraft } from "../form/form-draft";
import { FormReview, formProgress } from "../form/form-review";
import { ReceiptCard } from "../form/receipt-card";
import { SubmissionArea } from "../form/submission-area";
import { SessionBar } from "../entry/session-bar";
import type { StateIn } from "../gate-state";
import type { SignedKey } from "../kinds/signed-key";
import type { GateNotice } from "../wallet/wallet-notices";
import { NoticeCard } from "../notice-card";
import type { GateActions } from "../use-gate";
import { RoomAudio } from "./room-audio";
import { RoomScript } from "./room-script";
import { renderMarkdownSafely } from "./safe-html";
import { HolderOnly, NoRoom, roomHeading } from "./served-room";
import { SafeFragment, ShadowRoom } from "./shadow-room";

export type RoomProps = {
  /** The key that opened it. */
  signedKey: SignedKey;
  state: StateIn<"inside">;
  /** The visitor saw the room from the first moment: their place in the page is theirs. */
  isServed: boolean;
  actions: GateActions;
};

/** The first rendering and sanitising is slow; done early, it makes the room's own fast. */
export function warmUp(welcomeText: string): void {
  renderMarkdownSafely(welcomeText, window.location.origin);
}

export function Room({ signedKey, state, isServed, actions }: RoomProps) {
  const { room, account, notice } = state;
  const { form } = room;
  const { content } = room.grant;
  const heading = useRef<HTMLHeadingElement>(null);
  const [brokenContent, setBrokenContent] = useState<GatedContent | null>(null);
  const [review, setReview] = useState<{ text: string; before: GateNotice | null } | null>(null);
  const { welcomeText } = content;
  const welcome = useCallback(() => renderMarkdownSafely(welcomeText, window.location.origin), [welcomeText]);
  const draft = useDraftName(signedKey, state);

  // The page has changed under the visitor: say where they are now.
  useEffect(() => {
    if (!isServed) heading.current?.focus();
  }, [isServed]);
  useEffect(() => {
    if (form.receipt && draft) dropDraft(draft);
  }, [form.receipt, draft]);
  // Whatever became of it is told in the room, where the form is.
  const isOver = form.receipt !== null || (form.notice !== null && form.notice !== review?.before);

  return (
    <section className="stack" aria-labelledby="room-heading">
      <div className="row room-head">
        <h2 id="room-heading" ref={heading} tabIndex={-1}>
          {roomHeading(signedKey)}
        </h2>
        <div className="row">
          {form.receipt ? null : (
            <Button tone="quiet" onClick={actions.reload} busy={room.isReloading}>
              Load again
            </Button>
          )}
          <Button tone="quiet" onClick={actions.leave}>
            {form.receipt ? "Leave the room" : "Sign out"}
          </Button>
        </div>
      </div>
      {room.session ? <SessionBar session={room.session} signedKey={signedKey} /> : null}
      <OfflineNotice />
      {notice ? <NoticeCard notice={notice} onRetry={actions.reload} /> : null}
      {brokenContent === content ? <SilentNotice /> : null}
      {signedKey.opensRoom ? (
        <ShadowRoom styles={content.styles}>
          <SafeFragment className="latchkey-welcome" fragment={welcome} />
          <RoomAudio audio={content.audioData} onBroken={() => setBrokenContent(content)} />
          {content.textSubmissionAreaHtml && signedKey.mayUse && !form.receipt ? (
            <SubmissionArea
              html={content.textSubmissionAreaHtml}
              draftName={draft}
              onSubmit={(text) => (account ? setReview({ text, before: form.notice }) : actions.refuseForm())}
              isBusy={form.step !== "open"}
            />
          ) : null}
        </ShadowRoom>
      ) : (
        <NoRoom signedKey={signedKey} />
      )}
      {content.textSubmissionAreaHtml && !signedKey.mayUse ? <HolderOnly signedKey={signedKey} /> : null}
      {review !== null && account && !isOver ? (
        <FormReview
          text={review.text}
          signedKey={signedKey}
          address={account.address}
          form={form}
          onConfirm={() => actions.submit(review.text)}
          onClose={() => {
            actions.stopSigning();
            setReview(null);
          }}
        />
      ) : null}
      {/* For those who do not see the dialog change. */}
      <p role="status" className="visually-hidden">
        {formProgress[form.step]}
      </p>
      {form.receipt ? <ReceiptCard receipt={form.receipt} /> : null}
      {form.notice ? <NoticeCard notice={form.notice} /> : null}
      {content.script ? (
        <RoomScript key={content.script} script={content.script} styles={content.styles} />
      ) : null}
    </section>
  );
}

function SilentNotice() {
  return (
    <Notice tone="info" title="The sound does not load">
      <p>Its link lives for a short time only. Press &ldquo;Load again&rdquo; for a new one.</p>
    </Notice>
  );
}

/** By what the device knows of its own connection; a server that is away it does not notice. */
function OfflineNotice() {
  const isOnline = useSyncExternalStore(
    subscribeToConnection,
    () => navigator.onLine,
    () => true,
  );
  if (isOnline) return null;
  return (
    <Notice tone="info" title="You are offline">
      <p>What is open here can be read on. The form and the session go on when the connection is back.</p>
    </Notice>
  );
}

function subscribeToConnection(onChange: () => void): () => void {
  const listening = new AbortController();
  for (const event of ["online", "offline"]) {
    window.addEventListener(event, onChange, { signal: listening.signal });
  }
  return () => listening.abort();
}

function useDraftName({ id }: SignedKey, { room, account }: StateIn<"inside">) {
  // Fixed when the room opens: with an accepted form the session ends, and the draft is still to be found.
  const [address] = useState(room.session?.address ?? account?.address ?? null);
  return address && draftName({ keyId: id, address });
}
