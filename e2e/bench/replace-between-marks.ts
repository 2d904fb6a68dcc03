/** Replaces the document's text between the marks of this name. */
export function replaceBetweenMarks(document: string, name: string, text: string): string {
  const beginMark = `<!-- ${name}:begin -->`;
  const endMark = `<!-- ${name}:end -->`;
  const begin = document.indexOf(beginMark);
  const end = document.indexOf(endMark);
  if (begin < 0 || end < begin) throw new Error(`The document lacks the marks ${beginMark} and ${endMark}.`);
  return `${document.slice(0, begin + beginMark.length)}\n\n${text}\n\n${document.slice(end)}`;
}
