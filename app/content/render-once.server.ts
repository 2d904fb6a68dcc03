/** Rendered texts in memory, per renderer. */
const maxTexts = 20;

/** Renders each of the latest texts once: 200 KB of markup hold the event loop for a quarter of a second. */
export function renderOnce(render: (text: string) => string): (text: string) => string {
  const rendered = new Map<string, string>();
  return (text) => {
    const result = rendered.get(text) ?? render(text);
    rendered.delete(text);
    rendered.set(text, result);
    const [oldest] = rendered.keys();
    if (rendered.size > maxTexts && oldest !== undefined) rendered.delete(oldest);
    return result;
  };
}
