/**
 * What the page and the sandboxed frame say to each other. The frame has an opaque origin: the page knows it by
 * its window and by the origin "null", and can address it only with "*".
 */
export const sandboxPath = "/sandbox";
/** Never together with allow-same-origin: the two would let the script take its own sandbox away. */
export const sandboxAttribute = "allow-scripts";
/** The frame's body carries this class, as does the page's own container of the room. */
export const roomClassName = "latchkey-room";

export const maxFrameHeightPx = 4000;
const maxFailureCharacters = 300;

export const messageTypes = {
  run: "latchkey:run",
  ready: "latchkey:ready",
  height: "latchkey:height",
  failed: "latchkey:failed",
} as const;

/** Frame to page. */
type FrameMessage =
  | { type: typeof messageTypes.ready }
  | { type: typeof messageTypes.height; heightPx: number }
  | { type: typeof messageTypes.failed; reason: string };

/** Page to frame, once, after the frame said that it is ready. */
export function createRunMessage(script: string, styles: string = "") {
  return { type: messageTypes.run, script, styles };
}

/**
 * The message of our frame, or null for everything else that arrives at the window. Nothing in it is to be
 * trusted further than its shape: the operator's script can send all of these itself.
 */
export function readFrameMessage(
  event: { data: unknown; origin: string; source: unknown },
  frameWindow: unknown,
): FrameMessage | null {
  if (!frameWindow || event.source !== frameWindow || event.origin !== "null") return null;
  const { ready, height, failed } = messageTypes;
  const { type, heightPx, reason } = (event.data ?? {}) as Record<string, unknown>;
  if (type === ready) return { type };
  if (type === height && typeof heightPx === "number" && Number.isFinite(heightPx) && heightPx >= 0) {
    return { type, heightPx: Math.min(Math.ceil(heightPx), maxFrameHeightPx) };
  }
  if (type === failed && typeof reason === "string") {
    return { type, reason: reason.slice(0, maxFailureCharacters) };
  }
  return null;
}
