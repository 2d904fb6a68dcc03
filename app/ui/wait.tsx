import { formatMoment, formatWait } from "./format-time";

type WaitProps = {
  secondsLeft: number;
  /** Shown for long waits. */
  untilMs?: number | null;
};

/** A screen reader gets the whole wait, and its end, but no ticking. */
export function Wait({ secondsLeft, untilMs = null }: WaitProps) {
  return (
    <p aria-live={secondsLeft > 0 ? "off" : "polite"}>
      {secondsLeft > 0 ? (
        <>
          You can try again in <strong>{formatWait(secondsLeft)}</strong>
          {secondsLeft > 90 && untilMs !== null ? ` (${formatMoment(untilMs)})` : ""}.
        </>
      ) : (
        "You can try again now."
      )}
    </p>
  );
}
