import type { PointerEvent } from "react";

/** How far a pointer may wander on a button before whoever holds it has thought better of it. */
const slackPx = 24;
const pressedAt = new WeakMap<Element, { x: number; y: number }>();

/**
 * For a button that text moves while it is being written: what is pressed on it counts for it, though it has gone from
 * under the pointer when that is lifted. As anywhere, who draws the pointer away changes their mind.
 */
export const steadyPress = {
  onPointerDown(event: PointerEvent<HTMLElement>) {
    const { currentTarget, pointerId, pointerType, clientX: x, clientY: y } = event;
    // A finger belongs to what it has touched anyway, and moves to scroll. What a program makes up has no pointer.
    if (pointerType === "touch" || event.button !== 0 || !event.isTrusted) return;
    pressedAt.set(currentTarget, { x, y });
    currentTarget.setPointerCapture(pointerId);
  },
  onPointerMove({ currentTarget, pointerId, clientX, clientY }: PointerEvent<HTMLElement>) {
    const start = pressedAt.get(currentTarget);
    if (!start || Math.hypot(clientX - start.x, clientY - start.y) <= slackPx) return;
    if (currentTarget.hasPointerCapture(pointerId)) currentTarget.releasePointerCapture(pointerId);
  },
};
