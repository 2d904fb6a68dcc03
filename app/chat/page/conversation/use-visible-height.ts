import { useLayoutEffect, useRef } from "react";

/**
 * Keeps a frame as high as what is left of it above a keyboard on the screen. Where the browser shrinks the page
 * itself this changes nothing.
 */
export function useVisibleHeight() {
  const frame = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    function fit() {
      const covered = Math.max(0, window.innerHeight - viewport!.height - viewport!.offsetTop);
      // Zooming in covers nothing.
      const isKeyboard = viewport!.scale < 1.01 && covered > 80;
      frame.current?.style.setProperty("--keyboard", isKeyboard ? `${covered}px` : "0px");
      if (isKeyboard) window.scrollTo(0, 0);
    }
    viewport.addEventListener("resize", fit);
    fit();
    return () => viewport.removeEventListener("resize", fit);
  }, []);

  return frame;
}
