/** Names of elements, attributes or values, separated by spaces. */
export const listOf = (...lines: string[]) => lines.flatMap((line) => line.split(" "));

/** Elements whose inside is markup or code to a browser, never words for a reader: it goes away with them. */
export const elementsWithoutWords = listOf(
  "script style textarea option xmp noscript noembed noframes iframe",
  "template object svg math title plaintext listing",
);
