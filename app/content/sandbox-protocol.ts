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

/** Page to frame, once, after the frame said that it is ready. */
export type RunMessage = { type: "latchkey:run"; script: string; styles: string };
/** Frame to page. */
export type FrameMessage =
  | { type: "latchkey:ready" }
  | { type: "latchkey:height"; heightPx: number }
  | { type: "latchkey:failed"; reason: string };

export const runMessageType = "latchkey:run";
export const readyMessageType = "latchkey:ready";
export const heightMessageType = "latchkey:height";
export const failedMessageType = "latchkey:failed";

export function createRunMessage(script: string, styles: string = ""): RunMessage {
  return { type: runMessageType, script, styles };
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
  const { data } = event;
  if (typeof data !== "object" || data === null || !("type" in data)) return null;
  if (data.type === readyMessageType) return { type: readyMessageType };
  if (data.type === heightMessageType && "heightPx" in data) return readHeight(data.heightPx);
  if (data.type === failedMessageType && "reason" in data && typeof data.reason === "string") {
    return { type: failedMessageType, reason: data.reason.slice(0, maxFailureCharacters) };
  }
  return null;
}

function readHeight(heightPx: unknown): FrameMessage | null {
  if (typeof heightPx !== "number" || !Number.isFinite(heightPx) || heightPx < 0) return null;
  return { type: heightMessageType, heightPx: Math.min(Math.ceil(heightPx), maxFrameHeightPx) };
}
