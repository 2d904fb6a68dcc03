type MetaTag = { title: string } | { name: string; content: string } | { property: string; content: string };

/** What a page says of itself to search engines and to those who make previews of links. */
export function describePage(title: string, description: string): MetaTag[] {
  return [
    { title },
    { name: "description", content: description },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
  ];
}
