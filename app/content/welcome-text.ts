import { Marked } from "marked";
import { isMediaFile } from "./media-file";

/** Markdown cut at the addresses of its pictures: text, picture, text, ... text. */
type WelcomeText = { texts: readonly string[]; pictures: readonly WelcomePicture[] };

/** `file` names the picture in the content folder, `written` is how the author wrote it. */
type WelcomePicture = { file: string; written: string };

const markdown = new Marked();
const frontMatter = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/;

/**
 * Finds the pictures of the welcome text that lie beside it. They are found in the parsed document, so that an
 * example in a code block stays as it is. What names a scheme, a host or an absolute path is not ours to serve.
 */
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

/** Puts the document together again; a picture without an address keeps the one its author wrote. */
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
    // A stray percent sign: not an address at all.
    return null;
  }
}

/** The address follows `](` in an image and `]:` in a definition; the words before it may look the same. */
function findAddress(markup: string, written: string): number {
  for (const { index, 0: opening } of markup.matchAll(/\](?:\(|:)[\s<]*/g)) {
    if (markup.startsWith(written, index + opening.length)) return index + opening.length;
  }
  return -1;
}
