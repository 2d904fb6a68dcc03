/**
 * The two kinds of retired keys that JWT_PREVIOUS_KEYS may hold. PEM blocks may stand anywhere in it; what is left
 * between commas and line breaks are secrets.
 */
export function splitPreviousKeys(text: string): { pems: string[]; secrets: string[] } {
  const pemBlock = /-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----/g;
  // Some tools write the curve's parameters in a block of their own before the key.
  const pems = (text.match(pemBlock) ?? []).filter((pem) => !pem.startsWith("-----BEGIN EC PARAM"));
  const secrets = text
    .replace(pemBlock, "\n")
    .split(/,|\r|\n|\\r|\\n/)
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
  return { pems, secrets };
}
