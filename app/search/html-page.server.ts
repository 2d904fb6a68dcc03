import sanitizeHtml from "sanitize-html";
import { evenOut, splitFrontMatter } from "./knowledge-page";

const blocks = ["p", "div", "section", "article", "blockquote", "table", "ul", "ol", "dl", "pre", "figure"];
const lines = ["li", "tr", "br", "dt", "dd", "hr"];
const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];

/** Words and headings of an HTML page as Markdown, its front matter kept; scripts, styles and comments left out. */
export function toMarkdown(text: string): { text: string; title: string | undefined } {
  const whole = evenOut(text);
  const { body } = splitFrontMatter(whole);
  const frontMatter = whole.slice(0, whole.length - body.length);
  const clean = sanitizeHtml(body, {
    allowedTags: [...blocks, ...lines, ...headings],
    allowedAttributes: {},
    nonTextTags: ["script", "style", "textarea", "option", "noscript", "template", "title", "svg", "nav"],
  });
  const words = clean
    .replace(/\s+/g, " ")
    .replace(/<h([1-6])>/g, (_tag, level: string) => `\n\n${"#".repeat(Number(level))} `)
    .replace(/<li>/g, "\n- ")
    .replace(/<(?:br|hr|tr|dt|dd)[^>]*>/g, "\n")
    .replace(/<\/?[a-z][^>]*>/g, "\n\n")
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]?.replace(/\s+/g, " ").trim();
  return { text: frontMatter + decode(words).trim(), title: title ? decode(title) : undefined };
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
  "&amp;": "&",
};

/** The sanitizer has already turned every other entity into its character. */
function decode(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => entities[entity] ?? entity);
}
