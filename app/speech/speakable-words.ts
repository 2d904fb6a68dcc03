import { decodeReferences } from "~/platform/text/character-references";

const pictures =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3|\ufe0e|\ufe0f|[\u{e0020}-\u{e007f}]/gu;
const shortcode = /(?<![\p{L}\p{N}:]):(?:[a-z]|[+-]\d)[a-z0-9_+-]{0,40}:(?![\p{L}\p{N}:])/gu;

const authorityAddress = /(?<![\p{L}\p{N}+.-])([a-z][a-z0-9+.-]{0,30}):\/\/([^\s<>]*)/giu;
/** Addresses without an authority, such as `mailto:`. */
const bareAddress =
  /(?<![\p{L}\p{N}+.:/-])(mailto|sms|tel|xmpp|data|blob|javascript|about|magnet|urn|did|ipfs|ipns|ethereum|bitcoin):(?=[^\s<>])([^\s<>]*)/giu;
const webAddress = /(?<![\p{L}\p{N}+./@-])www\.([^\s<>]+)/giu;
const personSchemes = new Set(["mailto", "sms", "tel", "xmpp"]);
/** Longer names without a dot are digests. */
const maxNameChars = 30;
const marksBehind = `.,;:!?…)]}'"”’»*_~\``;

/** Without symbols that nobody speaks. Every pattern is linear. */
export function toSpeakableWords(text: string): string {
  return speakAddresses(decodeReferences(text, () => " "))
    .replace(/\b0x([0-9a-f]{4})[0-9a-f]{8,}\b/gi, "0x$1")
    .replace(pictures, " ")
    .replace(shortcode, " ")
    .replace(/\[\^[^\s[\]]{1,80}\]:?|\[\d{1,3}\]/g, " ")
    .replace(/[-=]{1,8}>|<[-=]{1,8}/g, " ")
    .replace(/(?<=[\p{L}\p{N}])[*_~`]+(?=[\p{L}\p{N}])/gu, " ")
    .replace(/[*_~`]+/g, "")
    .replace(/[|\\^{}<>[\]\ufffd\u2190-\u21ff\u2500-\u25ff\u2022]+/g, " ")
    .replace(/(?<![\p{L}\p{N}#])#+|-{2,}|={2,}|\${2,}/gu, " ")
    .replace(/[\p{Cf}\u180b-\u180d\ufe00-\ufe0d]+/gu, "")
    .replace(/[\p{Cc}\p{Co}\p{Cn}]+/gu, " ");
}

/** Web addresses become their host, mail its user, others their scheme. */
function speakAddresses(text: string): string {
  return text
    .replace(authorityAddress, (_whole, scheme: string, rest: string) => {
      const { address, behind } = splitBehind(rest);
      const authority = /^[^/?#\\]*/.exec(address)![0];
      const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
      return `${speakHost(host) ?? scheme}${behind}`;
    })
    .replace(bareAddress, (_whole, scheme: string, rest: string) => {
      const { address, behind } = splitBehind(rest);
      const person = personSchemes.has(scheme.toLowerCase()) ? /^[^?]*/.exec(address)![0] : "";
      return `${person === "" ? scheme : person}${behind}`;
    })
    .replace(webAddress, (whole, rest: string) => {
      const { address, behind } = splitBehind(rest);
      const host = /^[^/?#:\\]*/.exec(address)![0];
      return host.includes(".") ? `${host}${behind}` : whole;
    });
}

function speakHost(host: string): string | null {
  const name = host.replace(/^www\./i, "");
  const isSayable = /^[\p{L}\p{N}]/u.test(name) && (name.includes(".") || name.length <= maxNameChars);
  return isSayable ? name : null;
}

/** Punctuation after an address belongs to the sentence. So does a bracket that the address didn't open. */
function splitBehind(rest: string): { address: string; behind: string } {
  let surplus = rest.split(")").length - rest.split("(").length;
  let end = rest.length;
  for (; end > 0 && marksBehind.includes(rest[end - 1]!); end -= 1) {
    if (rest[end - 1] !== ")") continue;
    if (surplus <= 0) break;
    surplus -= 1;
  }
  return { address: rest.slice(0, end), behind: rest.slice(end) };
}
