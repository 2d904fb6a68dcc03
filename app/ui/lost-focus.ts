/** Gives the keyboard focus a place when what had it is gone from the page. Whoever has it elsewhere keeps it. */
export function takeLostFocus(place: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (document.activeElement === null || document.activeElement === document.body) place?.focus(options);
}
