import hljs from "highlight.js/lib/common";

/** Highlighting runs again with each piece that arrives. */
const maxChars = 20_000;

/** The code as escaped HTML with its colours; null for an unknown language. */
export function highlight(code: string, language: string): string | null {
  if (!hljs.getLanguage(language) || code.length > maxChars) return null;
  return hljs.highlight(code, { language }).value;
}
