const base64Prefix = "whsec_";

/**
 * The signing key a webhook secret stands for. `whsec_` and base64 is the Standard Webhooks form: the key is
 * the decoded bytes. Anything else is a plain secret: the key is its own characters, and the receiver must
 * treat it so too (`new Webhook(secret, { format: "raw" })`), even if it happens to look like base64.
 * Plain secrets are printable ASCII, because libraries disagree on how to turn other characters into bytes.
 */
export function webhookKey(secret: string): Uint8Array {
  if (!secret.startsWith(base64Prefix)) {
    if (!/^[\x20-\x7e]+$/.test(secret)) {
      throw new Error("A webhook secret must be whsec_<base64> or printable ASCII text, and not be empty.");
    }
    return new TextEncoder().encode(secret);
  }
  const encoded = secret.slice(base64Prefix.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded) || !encoded) {
    throw new Error("A webhook secret that begins with whsec_ must go on in base64.");
  }
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}
