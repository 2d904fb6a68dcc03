import { cutText } from "~/platform/text/well-formed-text";

/** Lexing Markdown isn't linear. This much takes ten milliseconds at worst. */
const maxPartChars = 4_096;

/** Cuts a long text between paragraphs. */
export function cutMarkdown(markdown: string): string[] {
  if (markdown.length <= maxPartChars) return [markdown];
  const parts: string[] = [];
  let part: string[] = [];
  let chars = 0;
  const cut = () => {
    parts.push(part.join("\n"));
    part = [];
    chars = 0;
  };
  for (const line of withoutFences(markdown)
    .split("\n")
    .flatMap((line) => cutAtSpaces(line, maxPartChars - 1))) {
    const isGap = line.trim() === "";
    if (chars + line.length >= maxPartChars || (isGap && chars > maxPartChars / 2)) cut();
    part.push(line);
    chars += line.length + 1;
  }
  cut();
  return parts;
}

/** Pieces of at most `maxChars` UTF-16 units. */
export function cutAtSpaces(text: string, maxChars: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > maxChars) {
    const head = cutText(rest, maxChars / 2);
    const space = head.lastIndexOf(" ");
    const end = space > 0 ? space : head.length;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

/** An unclosed code block lasts to the end. */
export function withoutFences(markdown: string): string {
  let fence: string | null = null;
  const lines = markdown.split("\n").filter((line) => {
    const [, mark, behind = ""] = /^ {0,3}(`{3,}|~{3,})(.*)/s.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
      return false;
    }
    // Inline code.
    if (mark === undefined || (mark.startsWith("`") && behind.includes("`"))) return true;
    fence = mark;
    return false;
  });
  return lines.join("\n");
}
