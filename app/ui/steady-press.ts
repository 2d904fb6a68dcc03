import type { PointerEvent } from "react";

/** How far a pointer may wander from where it came down before whoever holds it has thought better of it. */
const slackPx = 24;
/** What a phone takes for a long press, which is another gesture. */
const longPressMs = 500;

type Point = { clientX: number; clientY: number };

/**
 * The `onPointerDown` of a button that text moves while it is being written: what is pressed on it counts for it, though
 * it has gone from under the pointer when that is lifted. As long as it stands still, all is as the browser does it.
 */
export function steadyPress(down: PointerEvent<HTMLElement>): void {
  const { currentTarget: button, pointerId, clientX, clientY, timeStamp } = down;
  // What a program makes up has no pointer, and a second finger makes a gesture.
  if (!down.isTrusted || !down.isPrimary || down.button !== 0) return;
  const place = button.getBoundingClientRect();
  const held = new AbortController();
  const { signal } = held;

  function hasMoved(): boolean {
    const { left, top } = button.getBoundingClientRect();
    return left !== place.left || top !== place.top;
  }

  function isOver(point: Point): boolean {
    return button.contains(document.elementFromPoint(point.clientX, point.clientY));
  }

  function isMeant(point: Point): boolean {
    const isNear = Math.hypot(point.clientX - clientX, point.clientY - clientY) <= slackPx;
    return isNear && (hasMoved() || isOver(point));
  }

  function letGo(): void {
    held.abort();
    if (button.hasPointerCapture(pointerId)) button.releasePointerCapture(pointerId);
  }

  function wander(move: globalThis.PointerEvent): void {
    if (move.pointerId === pointerId && !isMeant(move)) letGo();
  }

  /** The click of a mouse goes to what has captured it, that of a finger to what is under it by now. */
  function lift(end: TouchEvent): void {
    const [finger] = end.changedTouches;
    letGo();
    if (!finger || isOver(finger) || !isMeant(finger)) return;
    end.preventDefault();
    // Where the browser's own click could not be prevented, there is none beside it.
    if (end.defaultPrevented && end.timeStamp - timeStamp < longPressMs) button.click();
  }

  button.setPointerCapture(pointerId);
  button.addEventListener("pointermove", wander, { signal });
  button.addEventListener("touchend", lift, { signal });
  button.addEventListener("click", letGo, { signal });
  // What has come under a mouse that is held down is not dragged by it.
  document.addEventListener("dragstart", (drag) => drag.preventDefault(), { signal });
  // The finger scrolls, or another one has come beside it.
  button.addEventListener("pointercancel", letGo, { signal });
  document.addEventListener("pointerdown", letGo, { signal, capture: true });
}
