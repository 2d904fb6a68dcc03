export const composerId = "chat-input";

/** Where the keyboard goes when what it was on is gone. */
export function focusComposer(): void {
  document.getElementById(composerId)?.focus();
}
