import { useId, useLayoutEffect, useRef } from "react";
import type { ReactNode } from "react";

type DialogProps = { title: string; onClose: () => void; children: ReactNode };

/** A modal dialog, open while mounted. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);

  // Closed while still in the document, so that the focus returns.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- The keyboard's way out is Escape, which arrives as `cancel`.
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={titleId}
      // The content fills the dialog, so this is the backdrop.
      onClick={(event) => (event.target === dialog.current ? onClose() : undefined)}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="stack dialog-body">
        <div className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="dialog-close" aria-label="Close" onClick={onClose}>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
              <path d="m3.5 3.5 9 9m0-9-9 9" />
            </svg>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
