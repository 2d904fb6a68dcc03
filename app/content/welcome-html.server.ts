import { randomUUID } from "node:crypto";
import { Marked } from "marked";
import sanitizeHtml from "sanitize-html";
import { renderOnce } from "./render-once.server";
import { elementsWithoutWords, listOf } from "./sanitize-policy.server";

const markdown = new Marked({ gfm: true, async: false });

/** The elements that Markdown can write, without IDs, classes and styles. Pictures come from this site only. */
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

/** Rendered first, sanitised afterwards. */
const render = renderOnce((text) => sanitizeHtml(markdown.parse(text, { async: false }), policy).trim());

const signedAddress = /\/media\/[a-z\d-]+\/[^\s?()<>"]+\?exp=\d+&sig=[\w-]+/g;
/** Stands for a picture's address, because each key has others every minute. No author can write one. */
const slotStart = `/media/${randomUUID()}/`;
const slot = new RegExp(`${slotStart}(\\d+)/`, "g");

/** The welcome text for a page without scripts. */
export function renderWelcomeHtml(source: string): string {
  const addresses: string[] = [];
  const text = source.replace(signedAddress, (address) => `${slotStart}${addresses.push(address) - 1}/`);
  return render(text).replace(slot, (_slot, index: string) =>
    addresses[Number(index)]!.replaceAll("&", "&amp;"),
  );
}

/** `//host` and `/\host` name another site. */
function isOwnPath(address: string): boolean {
  return /^\/(?![/\\])/.test(address);
}
