import sanitizeHtml from "sanitize-html";
import { elementsWithoutWords, listOf } from "./sanitize-policy.server";

/** Prefixes every ID and name of the operator's form, against DOM clobbering. */
const roomNamePrefix = "room-";

const nameAttributes = listOf("id name for form list");
const idListAttributes = listOf(
  "aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto",
  "aria-labelledby aria-owns",
);
/** An input of another type becomes a text input. */
const inputTypes = listOf(
  "checkbox color date datetime-local email hidden month number radio range search tel text time url week",
);
const fieldAttributes = listOf("name form disabled required value");
const textAttributes = listOf("maxlength minlength placeholder readonly spellcheck autocomplete");
const autocompleteValues = listOf("off on name nickname email");
const listedValues = new Map<string, readonly string[]>([
  ["input type", inputTypes],
  ["button type", ["submit", "button", "reset"]],
  ["form autocomplete", autocompleteValues],
  ["input autocomplete", autocompleteValues],
  ["textarea autocomplete", autocompleteValues],
]);

const policy: sanitizeHtml.IOptions = {
  allowedTags: listOf(
    "form fieldset legend label input textarea button select optgroup option datalist output progress meter",
    "details summary h1 h2 h3 h4 h5 h6 p div section header footer blockquote pre",
    "ul ol li dl dt dd hr br figure figcaption",
    "a abbr b cite code em i kbd mark q s small span strong sub sup time u wbr",
  ),
  allowedAttributes: {
    "*": listOf("id class title lang dir hidden role aria-*"),
    a: ["href", "rel", "target"],
    form: ["method", "autocomplete"],
    fieldset: ["name", "form", "disabled"],
    label: ["for"],
    input: [
      ...fieldAttributes,
      ...textAttributes,
      ...listOf("checked inputmode list max min multiple size step type"),
    ],
    textarea: [...fieldAttributes, ...textAttributes, "cols", "rows", "wrap"],
    button: [...fieldAttributes, "type"],
    select: [...fieldAttributes, "multiple", "size"],
    optgroup: ["disabled", "label"],
    option: ["disabled", "label", "selected", "value"],
    output: ["for", "form", "name"],
    progress: ["max", "value"],
    meter: ["high", "low", "max", "min", "optimum", "value"],
    details: ["open"],
    ol: ["start", "reversed"],
    time: ["datetime"],
  },
  allowedSchemes: ["http", "https", "mailto"],
  allowedSchemesAppliedToAttributes: ["href"],
  allowProtocolRelative: false,
  // Empty, these mean something, but the library would drop them.
  nonBooleanAttributes: sanitizeHtml.defaults.nonBooleanAttributes.filter(
    (name) => name !== "hidden" && name !== "value",
  ),
  disallowedTagsMode: "discard",
  nonTextTags: elementsWithoutWords,
  nestingLimit: 64,
  transformTags: {
    "*": (tagName, attribs) => ({ tagName, attribs: prefixNames(tagName, attribs) }),
  },
};

/** Removes code, outside addresses and form targets. */
export function sanitizeSubmissionHtml(html: string): string {
  return escapeTextareas(sanitizeHtml(html, policy)).trim();
}

function prefixNames(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const safe: sanitizeHtml.Attributes = {};
  for (const [name, value] of Object.entries(attribs)) {
    const listed = listedValues.get(`${tagName} ${name}`);
    if (listed && !listed.includes(value.toLowerCase())) continue;
    const isIdList = idListAttributes.includes(name) || (tagName === "output" && name === "for");
    if (isIdList) safe[name] = value.split(/\s+/).filter(Boolean).map(prefixName).join(" ");
    else if (nameAttributes.includes(name)) safe[name] = value.trim() === "" ? "" : prefixName(value.trim());
    else safe[name] = value;
  }
  if (tagName === "a") return linkAttributes(safe);
  // Without scripts, the input must not end up in an address.
  if (tagName === "form") safe.method = "post";
  return safe;
}

function prefixName(name: string): string {
  return name.startsWith(roomNamePrefix) ? name : roomNamePrefix + name;
}

function linkAttributes(attribs: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const { target: _target, rel: _rel, ...others } = attribs;
  const href = attribs.href?.trim() ?? "";
  if (href.startsWith("#")) return { ...others, href: `#${prefixName(href.slice(1))}` };
  return { ...others, target: "_blank", rel: "noopener noreferrer nofollow" };
}

/** The library leaves text in a textarea as it is. Escaped, it stays text for every parser. */
function escapeTextareas(html: string): string {
  return html.replace(
    /(<textarea[^>]*>)([\s\S]*?)(<\/textarea>)/g,
    (_whole, opening: string, text: string, closing: string) =>
      opening + text.replace(/</g, "&lt;").replace(/>/g, "&gt;") + closing,
  );
}
