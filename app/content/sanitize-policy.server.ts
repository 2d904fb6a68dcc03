/** Elements whose inside is markup or code to a browser, never words for a reader: it goes away with them. */
export const elementsWithoutWords = [
  ...["script", "style", "textarea", "option", "xmp", "noscript", "noembed", "noframes", "iframe"],
  ...["template", "object", "svg", "math", "title", "plaintext", "listing"],
];
