import { Marked } from "marked";
import sanitizeHtml from "sanitize-html";
import { elementsWithoutWords } from "./sanitize-policy.server";

const markdown = new Marked({ gfm: true, async: false });

/** Only to resolve addresses against; nothing is ever asked of it. */
const ownOrigin = "http://own.invalid";

const policy: sanitizeHtml.IOptions = {
  allowedTags: [
    ...["h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "pre", "code", "hr", "br"],
    ...["ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"],
    ...["a", "abbr", "b", "cite", "del", "em", "i", "kbd", "mark", "q", "s", "small", "span", "strong"],
    ...["sub", "sup", "figure", "figcaption", "img"],
  ],
  allowedAttributes: {
    "*": ["title", "lang", "dir"],
    a: ["href", "rel"],
    img: ["src", "alt", "loading", "decoding"],
    ol: ["start"],
    th: ["align"],
    td: ["align"],
  },
  allowedClasses: { code: [/^language-[a-z0-9+#-]{1,30}$/] },
  allowedSchemes: ["http", "https", "mailto"],
  allowedSchemesAppliedToAttributes: ["href", "src"],
  allowProtocolRelative: false,
  disallowedTagsMode: "discard",
  nonTextTags: elementsWithoutWords,
  nestingLimit: 64,
  transformTags: {
    a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: "noopener noreferrer nofollow" } }),
    img: keepOwnPictures,
  },
};

/**
 * Markdown to HTML that is safe to insert: rendered first, sanitised afterwards. Pictures are shown only from
 * the media route of this server; in place of any other stands its description.
 */
export function renderMarkdown(source: string): string {
  return sanitizeHtml(markdown.parse(source) as string, policy);
}

function keepOwnPictures(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const alt = attribs.alt ?? "";
  if (!isOwnMedia(attribs.src ?? "")) return { tagName: "span", attribs: {}, text: alt };
  return { tagName, attribs: { ...attribs, alt, loading: "lazy", decoding: "async" } };
}

function isOwnMedia(src: string): boolean {
  if (!src.startsWith("/media/") || !URL.canParse(src, ownOrigin)) return false;
  const url = new URL(src, ownOrigin);
  return url.origin === ownOrigin && url.pathname.startsWith("/media/");
}
