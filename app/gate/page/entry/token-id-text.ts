/** Whether a typed text can be a token id at all; the server has the last word. */
export function isTokenIdText(text: string): boolean {
  return /^[0-9]{1,78}$/.test(text.trim());
}
