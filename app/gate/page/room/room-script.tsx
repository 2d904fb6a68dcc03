import { useEffect, useRef, useState } from "react";
import {
  createRunMessage,
  readFrameMessage,
  sandboxAttribute,
  sandboxPath,
} from "~/content/sandbox-protocol";
import { Notice } from "~/ui/notice";

/** The operator's script in a frame of its own origin. A frame runs one script, so give it a `key`. */
export function RoomScript({ script, styles }: { script: string; styles: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [heightPx, setHeightPx] = useState(0);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    function receive(event: MessageEvent) {
      const frameWindow = frame.current?.contentWindow ?? null;
      const message = readFrameMessage(event, frameWindow);
      if (!message) return;
      // An opaque origin can't be named as a target.
      if (message.type === "latchkey:ready") frameWindow?.postMessage(createRunMessage(script, styles), "*");
      if (message.type === "latchkey:height") setHeightPx(message.heightPx);
      if (message.type === "latchkey:failed" && !isHarmless(message.reason)) setFailure(message.reason);
    }
    window.addEventListener("message", receive);
    return () => window.removeEventListener("message", receive);
  }, [script, styles]);

  return (
    <>
      <iframe
        ref={frame}
        title="From the host of this room"
        src={sandboxPath}
        sandbox={sandboxAttribute}
        className="room-script"
        style={{ height: `${heightPx}px` }}
      />
      {failure ? (
        <Notice tone="info" title="A script of this room failed">
          <p>{failure}</p>
        </Notice>
      ) : null}
    </>
  );
}

/** Not a failure: a frame was resized while it measured itself. */
function isHarmless(reason: string): boolean {
  return reason.startsWith("ResizeObserver loop");
}
