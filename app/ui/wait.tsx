import { formatMoment, formatWait } from "./format-time";

type WaitProps = {
  secondsLeft: number;
  /** Named where the wait is long. */
  untilMs?: number | null;
};

/** The ticking is for the eye: a screen reader is told the whole wait once, and then that it is over. */
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
