import { readDraft, writeDraft } from "./form-draft";
import type { DraftField } from "./form-draft";

/**
 * Drafts lie in the session storage: they outlive a reload and the closing of the room, and end with the tab. Where
 * the browser keeps nothing for us, a draft lasts as long as the room.
 */
export function findDraft(name: string): DraftField[] {
  try {
    return readDraft(window.sessionStorage.getItem(name));
  } catch {
    return [];
  }
}

export function keepDraft(name: string, fields: readonly DraftField[]): boolean {
  const text = writeDraft(fields);
  if (text === null) return false;
  try {
    window.sessionStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(name: string): void {
  try {
    window.sessionStorage.removeItem(name);
  } catch {
    // Nothing to drop where nothing can be kept.
  }
}

type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The fields a person fills; what the operator has put into hidden ones is not theirs to change. */
function ownFields(root: ParentNode): FormField[] {
  const all = [...root.querySelectorAll<FormField>("input[name], textarea[name], select[name]")];
  return all.filter((field) => !["hidden", "password", "file"].includes(field.type));
}

export function readFields(root: ParentNode): DraftField[] {
  return ownFields(root).map((field) => ({
    name: field.name,
    value: field.value,
    isChecked: "checked" in field && field.checked,
  }));
}

/** Puts a draft back where the form still is the one it was written in, field by field. */
export function fillFields(root: ParentNode, draft: readonly DraftField[]): void {
  for (const [index, field] of ownFields(root).entries()) {
    const kept = draft[index];
    if (kept?.name !== field.name) continue;
    if ("checked" in field && ["checkbox", "radio"].includes(field.type)) field.checked = kept.isChecked;
    else field.value = kept.value;
  }
}
