/** RFC 3986, section 3: whether a text is an absolute URI, letter by letter. Decides nothing about where it leads. */
export function isUri(text: string): boolean {
  const parts = uriShape.exec(text)?.groups as { authority?: string; path: string } | undefined;
  if (!parts || !pathShape.test(parts.path)) return false;
  return parts.authority === undefined ? !parts.path.startsWith("//") : isAuthority(parts.authority);
}

/** Where its parts end, by the one character that ends each; what the parts may hold is looked at one by one. */
const uriShape =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/(?<authority>[^/?#]*))?(?<path>[^?#]*)(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$/;
const pathShape = /^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;
const authorityShape =
  /^(?:(?:[\w.~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?(?:\[(?<literal>[^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;
const futureAddress = /^v[0-9A-Fa-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

function isAuthority(authority: string): boolean {
  const match = authorityShape.exec(authority);
  const literal = match?.groups?.literal;
  return match !== null && (literal === undefined || isAddressLiteral(literal));
}

function isAddressLiteral(literal: string): boolean {
  if (futureAddress.test(literal)) return true;
  return /^[0-9A-Fa-f:.]+$/.test(literal) && URL.canParse(`http://[${literal}]/`);
}

/** What stands between two slashes of a path: RFC 3986's `*pchar`. */
export function isPathSegment(text: string): boolean {
  return !text.includes("/") && pathShape.test(text);
}
