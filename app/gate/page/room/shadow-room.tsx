import { useCallback, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { roomClassName } from "~/content/sandbox-protocol";
import roomStylesheetHref from "./room.css";

/** Isolates styles. `styles` is the operator's CSS. */
export function ShadowRoom({ styles, children }: { styles: string; children: ReactNode }) {
  const [root, setRoot] = useState<ShadowRoot | null>(null);

  const host = useCallback((element: HTMLDivElement | null) => {
    setRoot(element && (element.shadowRoot ?? element.attachShadow({ mode: "open" })));
  }, []);

  useLayoutEffect(() => {
    if (root) adoptStyles(root, styles);
  }, [root, styles]);

  return (
    // Outside the shadow root, out of reach of `:host` rules.
    <div className="room-bounds">
      <div ref={host} className="shadow-room">
        {root
          ? createPortal(
              <>
                <link rel="stylesheet" href={roomStylesheetHref} />
                <div className={roomClassName}>{children}</div>
              </>,
              root,
            )
          : null}
      </div>
    </div>
  );
}

/** A constructed stylesheet needs no exception in the page's policy. */
function adoptStyles(root: ShadowRoot, styles: string): void {
  const sheet = new CSSStyleSheet();
  // Skips errors, and ignores @import.
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
}

type SafeFragmentProps = { className: string; fragment: () => DocumentFragment };

/** `fragment` must be stable: each new one replaces the content. */
export function SafeFragment({ className, fragment }: SafeFragmentProps) {
  const holder = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => holder.current?.replaceChildren(fragment()), [fragment]);
  return <div ref={holder} className={className} />;
}
