import { Marked } from "marked";
import { isMediaFile } from "./media-file";

/** Markdown cut at the addresses of its pictures. */
type WelcomeText = { texts: readonly string[]; pictures: readonly WelcomePicture[] };

/** `written`: the file's name as the author wrote it. */
type WelcomePicture = { file: string; written: string };

const markdown = new Marked();
const frontMatter = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/;

/** Finds the pictures beside the text in the parsed document, so that examples in code stay as they are. */
export function parseWelcomeText(source: string): WelcomeText {
  const body = source.replace(/\r\n?/g, "\n").replace(frontMatter, "").trim();
  const texts: string[] = [];
  const pictures: WelcomePicture[] = [];
  let cutAt = 0;
  let searchFrom = 0;
  markdown.walkTokens(markdown.lexer(body), (token) => {
    if (!["image", "def", "code", "codespan"].includes(token.type)) return;
    const start = body.indexOf(token.raw, searchFrom);
    if (start === -1) return;
    searchFrom = start + token.raw.length;
    const written = token.type === "image" || token.type === "def" ? String(token.href) : "";
    const file = findPictureFile(written);
    const within = file === null ? -1 : findAddress(token.raw, written);
    if (file === null || within === -1) return;
    const at = start + within;
    texts.push(body.slice(cutAt, at));
    pictures.push({ file, written });
    cutAt = at + written.length;
  });
  texts.push(body.slice(cutAt));
  return { texts, pictures };
}

/** A picture without an address keeps the author's. */
export function writeWelcomeText(welcome: WelcomeText, addresses: readonly (string | null)[]): string {
  return welcome.texts
    .map((text, index) => text + (addresses[index] ?? welcome.pictures[index]?.written ?? ""))
    .join("");
}

function findPictureFile(written: string): string | null {
  try {
    const file = decodeURIComponent(written.replace(/^\.\//, ""));
    return isMediaFile(file, "image") ? file : null;
  } catch {
    // A stray percent sign.
    return null;
  }
}

/** The address follows `](` in an image and `]:` in a definition. */
function findAddress(markup: string, written: string): number {
  for (const { index, 0: opening } of markup.matchAll(/\](?:\(|:)[\s<]*/g)) {
    if (markup.startsWith(written, index + opening.length)) return index + opening.length;
  }
  return -1;
}
