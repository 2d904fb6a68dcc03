/** What the bench's model is asked, and so told: how many words, and how many milliseconds between two of them. */
export function askForWords({ words, everyMs }: { words: number; everyMs: number }): string {
  return `words:${words}:${everyMs}`;
}
