/** Focuses the element if what had the focus is gone from the page. A focus elsewhere stays. */
export function takeLostFocus(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (document.activeElement === null || document.activeElement === document.body) element?.focus(options);
}
