import type { PointerEvent } from "react";

/** How far a pointer may move from where it came down before the press is taken back. */
const slackPx = 24;
/** What phones take for a long press, which is another gesture. */
const longPressMs = 500;

type Point = { clientX: number; clientY: number };

/** For a button that streamed text moves from under the pointer; while it stands still, the browser decides. */
export function steadyPress(down: PointerEvent<HTMLElement>): void {
  const { currentTarget: button, pointerId, clientX, clientY, timeStamp } = down;
  // Synthetic events have no pointer, and a second finger makes a gesture.
  if (!down.isTrusted || !down.isPrimary || down.button !== 0) return;
  const before = button.getBoundingClientRect();
  const held = new AbortController();
  const { signal } = held;

  const isOver = (point: Point) => button.contains(document.elementFromPoint(point.clientX, point.clientY));

  function isMeant(point: Point): boolean {
    const { left, top } = button.getBoundingClientRect();
    const hasMoved = left !== before.left || top !== before.top;
    const isNear = Math.hypot(point.clientX - clientX, point.clientY - clientY) <= slackPx;
    return isNear && (hasMoved || isOver(point));
  }

  function letGo(): void {
    held.abort();
    if (button.hasPointerCapture(pointerId)) button.releasePointerCapture(pointerId);
  }

  function move(event: globalThis.PointerEvent): void {
    if (event.pointerId === pointerId && !isMeant(event)) letGo();
  }

  /** A mouse's click goes to what has captured it, a finger's to what is under it by now. */
  function lift(end: TouchEvent): void {
    const [finger] = end.changedTouches;
    letGo();
    if (!finger || isOver(finger) || !isMeant(finger)) return;
    end.preventDefault();
    // Where the browser's own click could not be prevented, no second one is added.
    if (end.defaultPrevented && end.timeStamp - timeStamp < longPressMs) button.click();
  }

  button.setPointerCapture(pointerId);
  button.addEventListener("pointermove", move, { signal });
  button.addEventListener("touchend", lift, { signal });
  button.addEventListener("click", letGo, { signal });
  // What moved under a held mouse is not dragged by it.
  document.addEventListener("dragstart", (drag) => drag.preventDefault(), { signal });
  // The finger scrolls, or another one has joined it.
  button.addEventListener("pointercancel", letGo, { signal });
  document.addEventListener("pointerdown", letGo, { signal, capture: true });
}
