/** Messages between the page and the sandboxed frame, whose opaque origin is "null". */
export const sandboxPath = "/sandbox";
/** With allow-same-origin, too, the script could remove its own sandbox. */
export const sandboxAttribute = "allow-scripts";
/** The class of the frame's body, and of the room in the page. */
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

/** Page to frame, once, after `ready`. */
export function createRunMessage(script: string, styles: string = "") {
  return { type: messageTypes.run, script, styles };
}

/** Null unless our frame sent it. The operator's script can send these messages, too. */
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
