export const listOf = (...lines: string[]) => lines.flatMap((line) => line.split(" "));

/** Elements that are dropped with their content. */
export const elementsWithoutWords = listOf(
  "script style textarea option xmp noscript noembed noframes iframe",
  "template object svg math title plaintext listing",
);
