import { useCallback, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { roomClassName } from "~/content/sandbox-protocol";
import roomStylesheetHref from "./room.css";

/** Styles neither leak out of it nor reach in. `styles`: the operator's CSS text, after the room's own stylesheet. */
export function ShadowRoom({ styles, children }: { styles: string; children: ReactNode }) {
  const [root, setRoot] = useState<ShadowRoot | null>(null);

  const host = useCallback((element: HTMLDivElement | null) => {
    setRoot(element && (element.shadowRoot ?? element.attachShadow({ mode: "open" })));
  }, []);

  useLayoutEffect(() => {
    if (root) adoptStyles(root, styles);
  }, [root, styles]);

  return (
    // Outside of the shadow root, where no `:host` rule reaches: it keeps boxes in as the root keeps selectors in.
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

/** A constructed stylesheet: no markup is involved, and the page's policy needs no exception for inline styles. */
function adoptStyles(root: ShadowRoot, styles: string): void {
  const sheet = new CSSStyleSheet();
  // Faults in it are skipped as in any stylesheet; @import is not loaded.
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
}

type SafeFragmentProps = { className: string; fragment: () => DocumentFragment };

/** Holds sanitised nodes; `fragment` has to be stable, each new one replaces what was there. */
export function SafeFragment({ className, fragment }: SafeFragmentProps) {
  const holder = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => holder.current?.replaceChildren(fragment()), [fragment]);
  return <div ref={holder} className={className} />;
}
