import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { GatedContent } from "~/content/content.schema";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { draftName, dropDraft, SubmissionArea } from "../form/submission-area";
import { FormReview, formProgress, ReceiptCard } from "../form/form-review";
import { SessionBar } from "../entry/session-bar";
import type { Inside } from "../gate-state";
import type { SignedKey } from "../kinds/page-kind";
import type { GateNotice } from "../wallet/wallet-notices";
import { NoticeCard } from "../notice-card";
import type { GateActions } from "../use-gate";
import { RoomAudio } from "./room-audio";
import { RoomScript } from "./room-script";
import { renderMarkdownSafely } from "./safe-html";
import { HolderOnly, NoRoom, roomHeading } from "./served-room";
import { SafeFragment, ShadowRoom } from "./shadow-room";

export type RoomProps = {
  signedKey: SignedKey;
  state: Inside;
  /** The server rendered the room, so the focus stays. */
  isServed: boolean;
  actions: GateActions;
};

/** The first rendering is slow. */
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

  // Tells the visitor where they are now.
  useEffect(() => {
    if (!isServed) heading.current?.focus();
  }, [isServed]);
  useEffect(() => {
    if (form.receipt && draft) dropDraft(draft);
  }, [form.receipt, draft]);
  // The room shows the result.
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
      {/* For screen readers. */}
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
      <p>Its link has expired. Press &ldquo;Load again&rdquo; for a new one.</p>
    </Notice>
  );
}

/** By the device's own connection. */
function OfflineNotice() {
  const isOnline = useSyncExternalStore(
    subscribeToConnection,
    () => navigator.onLine,
    () => true,
  );
  if (isOnline) return null;
  return (
    <Notice tone="info" title="You are offline">
      <p>You can keep reading. The form and your session continue when you&rsquo;re back online.</p>
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

function useDraftName({ id }: SignedKey, { room, account }: Inside) {
  // Fixed when the room opens, because an accepted form ends the session.
  const [address] = useState(room.session?.address ?? account?.address ?? null);
  return address && draftName({ keyId: id, address });
}
