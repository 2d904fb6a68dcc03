/** Prefixes of personal entries: conversations and drafts. */
export const chatEntryPrefix = "latchkey.chat.";
export const formDraftPrefix = "latchkey.draft:";

type EntryStore = Pick<Storage, "removeItem" | "key" | "length">;

/** Signing out removes everything personal. */
export function forgetPersonalEntries(store: EntryStore): void {
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index));
  for (const key of keys) {
    if (key?.startsWith(chatEntryPrefix) || key?.startsWith(formDraftPrefix)) store.removeItem(key);
  }
}

/** False if a storage is full or switched off. */
export function tryTo(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** Storage events tell other windows. */
export function forgetPerson(): void {
  for (const name of ["localStorage", "sessionStorage"] as const) {
    tryTo(() => forgetPersonalEntries(window[name]));
  }
}
