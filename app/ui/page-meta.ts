type MetaTag = { title: string } | { name: string; content: string } | { property: string; content: string };

/** For search engines and link previews. */
export function describePage(title: string, description: string): MetaTag[] {
  return [
    { title },
    { name: "description", content: description },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
  ];
}
