/** What is wrong with a typed token id; null where it can be one. The server has the last word. */
export function tokenIdFault(text: string): string | null {
  if (/^[0-9]{1,78}$/.test(text.trim())) return null;
  return "The number of a key is written in digits only, 78 at most.";
}
