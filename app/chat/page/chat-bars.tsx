import { ChatNoticeCard } from "./chat-notice-card";
import type { Quota } from "./conversation/chat-api";
import { listShown } from "./conversation/conversation";
import { formatMoment, formatWait } from "~/ui/format-time";
import { SpeechNotice } from "./speech/read-aloud";
import { useChatSession, useChatState } from "./conversation/chat-context";
import { useSecondsUntil } from "~/ui/use-seconds-until";

export function ChatBars({ isQuotaSpent }: { isQuotaSpent: boolean }) {
  const session = useChatSession();
  const quota = useChatState("quota");
  const barrier = useChatState("barrier");
  const isOnline = useChatState("isOnline");
  const isSentWhole = useChatState("isSentWhole");
  const open = useChatState("open");
  const models = useChatState("models");
  const model = useChatState("model");
  const showsBarrier = barrier !== null && open.messages.length > 0 && !endsWithSignIn(open);
  return (
    <div className="stack chat-bars">
      <div role="status">
        {isOnline ? null : (
          <p className="notice bar tone-warning">
            You are offline. Your draft is kept. Send it when you&rsquo;re back online.
          </p>
        )}
      </div>
      {isSentWhole ? null : (
        <p className="notice bar tone-plain">
          This conversation is long. The assistant gets only its newest part.
        </p>
      )}
      <SpeechNotice />
      {showsBarrier ? <ChatNoticeCard notice={barrier} /> : null}
      {isQuotaSpent && quota ? <QuotaWall limit={quota.limit} resetAtMs={quota.resetAtMs} /> : null}
      {models.length > 1 || (quota && !isQuotaSpent) ? (
        <div className="row soft chat-tools">
          {models.length > 1 ? (
            <label className="model-choice">
              <span>Model</span>
              <select value={model ?? ""} onChange={(event) => session.chooseModel(event.target.value)}>
                {models.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          ) : null}
          {quota && !isQuotaSpent ? <QuotaMeter quota={quota} /> : null}
        </div>
      ) : null}
    </div>
  );
}

/** Then the message above says so. */
function endsWithSignIn(open: Parameters<typeof listShown>[0]): boolean {
  const last = listShown(open).at(-1);
  return last?.role === "assistant" && last.notice?.kind === "sign-in";
}

function QuotaWall({ limit, resetAtMs }: { limit: number; resetAtMs: number | null }) {
  const secondsLeft = useSecondsUntil(resetAtMs);
  return (
    <div className="notice quota-wall tone-warning" role="status">
      <p className="quota-wall-title">You&rsquo;ve reached the limit of {limit.toLocaleString()} tokens</p>
      {resetAtMs === null ? null : (
        <p>
          It resets at <strong>{formatMoment(resetAtMs)}</strong>
          <span aria-hidden="true">, in {formatWait(secondsLeft)}</span>. Your draft is kept.
        </p>
      )}
    </div>
  );
}

const warningShare = 0.8;

export function QuotaMeter({ quota }: { quota: Quota }) {
  const used = Math.min(quota.limit, Math.max(0, quota.limit - quota.remaining));
  const share = quota.limit === 0 ? 1 : used / quota.limit;
  const isLow = share >= warningShare;
  return (
    <div className={`row quota${isLow ? " quota-low" : ""}`}>
      <div
        className="quota-bar"
        role="meter"
        aria-label="Quota used"
        aria-valuemin={0}
        aria-valuemax={quota.limit}
        aria-valuenow={used}
        aria-valuetext={`${used} of ${quota.limit} tokens used`}
      >
        <span style={{ width: `${Math.round(share * 1000) / 10}%` }} />
      </div>
      <p>
        {isLow ? <strong>{quota.remaining === 0 ? "Nothing left" : "Running low"}: </strong> : null}
        {quota.remaining.toLocaleString()} of {quota.limit.toLocaleString()} tokens left
        {quota.resetAtMs === null ? "" : `, renewed at ${formatMoment(quota.resetAtMs)}`}
      </p>
    </div>
  );
}
