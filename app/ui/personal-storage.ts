/** Under these names the pages keep what is a person's own: conversations and their drafts, and the form's draft. */
export const chatEntryPrefix = "latchkey.chat.";
export const formDraftPrefix = "latchkey.draft:";

type EntryStore = Pick<Storage, "removeItem" | "key" | "length">;

/** What signing out leaves on the device: nothing that says who was here, what they asked, or what they were shown. */
export function forgetPersonalEntries(store: EntryStore): void {
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index));
  for (const key of keys) {
    if (key?.startsWith(chatEntryPrefix) || key?.startsWith(formDraftPrefix)) store.removeItem(key);
  }
}

/** Whether a storage did it: some are full, and some are switched off, where nothing was kept either. */
export function tryTo(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** In this browser; other windows are told by the storage itself. */
export function forgetPerson(): void {
  for (const name of ["localStorage", "sessionStorage"] as const) {
    tryTo(() => forgetPersonalEntries(window[name]));
  }
}
