import type { Quota } from "./conversation/chat-api";
import { formatMoment } from "~/ui/moments";

export const warningShare = 0.8;

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
