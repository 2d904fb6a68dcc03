import { formDraftPrefix, tryTo } from "~/ui/personal-storage";

export type DraftField = { name: string; value: string; isChecked: boolean };

/** A larger draft than any that could be sent is not kept. */
const maxDraftCharacters = 100_000;

/** One key in one wallet, so that no one else's draft appears. */
export function draftName({ keyId, address }: { keyId: string; address: string }): string {
  return `${formDraftPrefix}${keyId}:${address.toLowerCase()}`;
}

export function writeDraft(fields: readonly DraftField[]): string | null {
  const text = JSON.stringify(fields.map(({ name, value, isChecked }) => [name, value, isChecked ? 1 : 0]));
  return text.length > maxDraftCharacters ? null : text;
}

/** Validates what is stored: another version of the page, or another script, may have written it. */
export function readDraft(text: string | null): DraftField[] {
  try {
    const stored: unknown = JSON.parse(text ?? "[]");
    return (stored as unknown[]).flatMap((entry) => {
      const [name, value, checked]: unknown[] = Array.isArray(entry) ? entry : [];
      if (typeof name !== "string" || typeof value !== "string") return [];
      return [{ name, value, isChecked: checked === 1 }];
    });
  } catch {
    return [];
  }
}

// In the session storage drafts outlive a reload and the closing of the room, and end with the tab.

export function findDraft(name: string): DraftField[] {
  try {
    return readDraft(window.sessionStorage.getItem(name));
  } catch {
    return [];
  }
}

export function keepDraft(name: string, fields: readonly DraftField[]): boolean {
  const text = writeDraft(fields);
  return text !== null && tryTo(() => window.sessionStorage.setItem(name, text));
}

export function dropDraft(name: string): void {
  tryTo(() => window.sessionStorage.removeItem(name));
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
