import { Marked } from "marked";
import { isMediaFile } from "./media-file";

/** Markdown cut at the addresses of its pictures: text, picture, text, ... text. */
export type WelcomeText = { texts: readonly string[]; pictures: readonly WelcomePicture[] };

/** `file` names the picture in the content folder, `written` is how the author wrote it. */
export type WelcomePicture = { file: string; written: string };

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
    const at = file === null ? -1 : findAddress({ body, from: start, to: searchFrom, written });
    if (file === null || at === -1) return;
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

type FindAddressOptions = {
  body: string;
  from: number;
  to: number;
  written: string;
};

/** The address follows `](` in an image and `]:` in a definition; the words before it may look the same. */
function findAddress({ body, from, to, written }: FindAddressOptions): number {
  const opening = /\](?:\(|:)[\s<]*/g;
  opening.lastIndex = from;
  for (let match = opening.exec(body); match !== null && match.index < to; match = opening.exec(body)) {
    const at = match.index + match[0].length;
    if (body.startsWith(written, at) && at + written.length <= to) return at;
  }
  return -1;
}
