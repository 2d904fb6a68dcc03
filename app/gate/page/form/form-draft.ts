import { formDraftPrefix } from "~/platform/personal-storage";

/** One field of the operator's form, in the order in which they stand there. */
export type DraftField = { name: string; value: string; isChecked: boolean };

/** A larger draft than any that could be sent is not kept. */
const maxDraftCharacters = 100_000;

type DraftNameOptions = {
  chainId: number;
  contractAddress: string;
  tokenId: string;
  address: string;
};

/** Of one key in one wallet at one contract: nobody else's words appear in a form. */
export function draftName({ chainId, contractAddress, tokenId, address }: DraftNameOptions): string {
  return formDraftPrefix + [chainId, contractAddress.toLowerCase(), tokenId, address.toLowerCase()].join(":");
}

/** Null: there is nothing worth keeping. */
export function writeDraft(fields: readonly DraftField[]): string | null {
  const text = JSON.stringify(fields.map(({ name, value, isChecked }) => [name, value, isChecked ? 1 : 0]));
  return text.length > maxDraftCharacters ? null : text;
}

/** Whatever lies in the storage: another version of the page, or a script of somebody's, may have put it there. */
export function readDraft(text: string | null): DraftField[] {
  if (text === null) return [];
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((entry: unknown) => {
    if (!Array.isArray(entry)) return [];
    const [name, value, checked] = entry as unknown[];
    if (typeof name !== "string" || typeof value !== "string") return [];
    return [{ name, value, isChecked: checked === 1 }];
  });
}
