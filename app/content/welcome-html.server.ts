import { randomUUID } from "node:crypto";
import { Marked } from "marked";
import sanitizeHtml from "sanitize-html";
import { elementsWithoutWords, listOf } from "./sanitize-policy.server";

const markdown = new Marked({ gfm: true, async: false });

/** Only what Markdown itself can write, without an id, a class or a style; pictures only from this very site. */
const policy: sanitizeHtml.IOptions = {
  allowedTags: listOf(
    "h1 h2 h3 h4 h5 h6 p blockquote pre code hr br ul ol li",
    "a em strong del img table thead tbody tr th td",
  ),
  allowedAttributes: { a: ["href", "title", "target", "rel"], img: ["src", "alt", "title"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowedSchemesByTag: { img: [] },
  allowProtocolRelative: false,
  disallowedTagsMode: "discard",
  nonTextTags: elementsWithoutWords,
  nestingLimit: 64,
  transformTags: {
    a: (tagName, { href = "", title }) => ({
      tagName,
      attribs: {
        href,
        ...(title ? { title } : {}),
        ...(href.startsWith("#") ? {} : { target: "_blank", rel: "noopener noreferrer" }),
      },
    }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === "img" && !isOwnPath(attribs.src ?? ""),
};

/** What was rendered lately, by its text. The addresses of pictures are not in it: each visitor has others every minute. */
const rendered = new Map<string, string>();
const maxRendered = 50;
/** Longer texts, of which the memory would hold too much, are rendered each time. */
const maxRenderedChars = 64 * 1024;
const signedAddress = /\/media\/[a-z\d-]+\/[^\s?()<>"]+\?exp=\d+&sig=[\w-]+/g;
/** Stands for an address, and looks like one to whatever reads it. Nobody can write one into a text. */
const slotStart = `/media/${randomUUID()}/`;
const slot = new RegExp(`${slotStart}(\\d+)/`, "g");

/** The welcome text as a page without scripts shows it: rendered first, sanitised afterwards. */
export function renderWelcomeHtml(source: string): string {
  const addresses: string[] = [];
  const text = source.replace(signedAddress, (address) => `${slotStart}${addresses.push(address) - 1}/`);
  return renderOnce(text).replace(slot, (_slot, index: string) =>
    addresses[Number(index)]!.replaceAll("&", "&amp;"),
  );
}

function renderOnce(text: string): string {
  const known = rendered.get(text);
  if (known !== undefined) return known;
  const html = sanitizeHtml(markdown.parse(text, { async: false }), policy).trim();
  const [oldest] = rendered.keys();
  if (rendered.size >= maxRendered && oldest !== undefined) rendered.delete(oldest);
  if (text.length <= maxRenderedChars) rendered.set(text, html);
  return html;
}

/** A path of this site; `//host` and `/\host` name another one. */
function isOwnPath(address: string): boolean {
  return /^\/(?![/\\])/.test(address);
}
