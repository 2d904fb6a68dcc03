/** Focuses the element if the focused one is gone. */
export function takeLostFocus(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (document.activeElement === null || document.activeElement === document.body) element?.focus(options);
}
