/** The common ones. */
const named: Record<string, string> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", ensp: " ", emsp: " ", thinsp: " ", shy: "",
  ndash: "–", mdash: "—", hellip: "…", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„",
  laquo: "«", raquo: "»", bull: "•", middot: "·", deg: "°", plusmn: "±", times: "×", divide: "÷", minus: "−",
  frac12: "½", frac14: "¼", frac34: "¾", sup2: "²", sup3: "³", euro: "€", pound: "£", yen: "¥", cent: "¢",
  sect: "§", para: "¶", copy: "©", reg: "®", trade: "™", larr: "←", rarr: "→", uarr: "↑", darr: "↓", ne: "≠",
  le: "≤", ge: "≥", infin: "∞", micro: "µ", ordm: "º", ordf: "ª", iexcl: "¡", iquest: "¿", szlig: "ß",
  auml: "ä", ouml: "ö", uuml: "ü", euml: "ë", iuml: "ï", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", aacute: "á",
  eacute: "é", iacute: "í", oacute: "ó", uacute: "ú", Eacute: "É", agrave: "à", egrave: "è", igrave: "ì",
  ograve: "ò", ugrave: "ù", acirc: "â", ecirc: "ê", icirc: "î", ocirc: "ô", ucirc: "û", atilde: "ã",
  otilde: "õ", ntilde: "ñ", Ntilde: "Ñ", ccedil: "ç", Ccedil: "Ç", aring: "å", Aring: "Å", aelig: "æ",
  AElig: "Æ", oelig: "œ", OElig: "Œ", oslash: "ø", Oslash: "Ø",
}; // prettier-ignore

/** Decodes HTML character references once. `unknown` replaces the others. */
export function decodeReferences(text: string, unknown: (reference: string) => string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,30}));/gi, (whole, ...found) => {
    const [decimal, hex, name] = found as (string | undefined)[];
    if (name !== undefined) {
      const key = [name, name.toLowerCase()].find((spelled) => Object.hasOwn(named, spelled));
      return key === undefined ? unknown(whole) : named[key]!;
    }
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : unknown(whole);
  });
}
