import DOMPurify from "dompurify";
import { Marked } from "marked";

const markdown = new Marked({ gfm: true, async: false });

/** Attributes that make the browser fetch something. */
const fetchingAttributes = ["src", "srcset", "poster", "background", "data", "xlink:href"];

let purifier: ReturnType<typeof DOMPurify> | null = null;

/** Renders, then sanitises. */
export function renderMarkdownSafely(source: string, origin: string): DocumentFragment {
  return sanitizeToFragment(markdown.parse(source, { async: false }), origin);
}

/** Sanitises again after the server: no code, no style, nothing from other origins. */
export function sanitizeToFragment(html: string, origin: string): DocumentFragment {
  purifier ??= createPurifier();
  const fragment = purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true },
    FORBID_TAGS: ["style", "video", "audio", "source", "picture", "track"],
    FORBID_ATTR: ["style", "action", "formaction", "srcset", "poster", "background", "ping"],
    ADD_ATTR: ["target"],
  });
  for (const image of fragment.querySelectorAll("img")) {
    if (!isOwnAddress(image.getAttribute("src") ?? "", origin)) {
      image.replaceWith(image.ownerDocument.createTextNode(image.alt));
    }
  }
  return fragment;
}

function createPurifier(): ReturnType<typeof DOMPurify> {
  const instance = DOMPurify(window);
  instance.addHook("afterSanitizeAttributes", (node) => {
    if (node.nodeName === "A" && node.hasAttribute("href") && !node.getAttribute("href")?.startsWith("#")) {
      // A link must not replace the page, which holds the room.
      node.setAttribute("target", "_blank");
      node.setAttribute("rel", "noopener noreferrer");
    }
    if (node.nodeName === "IMG") return;
    for (const name of fetchingAttributes) node.removeAttribute(name);
  });
  return instance;
}

function isOwnAddress(address: string, origin: string): boolean {
  if (address === "" || !URL.canParse(address, origin)) return false;
  const url = new URL(address, origin);
  return url.origin === origin && /^https?:$/.test(url.protocol);
}
