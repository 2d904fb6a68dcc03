import { requireStrongSecret } from "~/platform/config/secret-strength";
import { InvalidSetting } from "~/platform/config/setting";
import type { Judging } from "~/platform/config/setting";

const minKeyBytes = 24;

/**
 * `whsec_` and base64 is the Standard Webhooks form. Anything else is used as its own characters, for receivers with
 * `format: "raw"`; only printable ASCII, because libraries disagree on how to turn other characters into bytes.
 */
export function webhookKey(secret: string): Uint8Array {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  if (encoded === undefined) {
    if (/^[\x20-\x7e]+$/.test(secret)) return new TextEncoder().encode(secret);
    throw new InvalidSetting("must be whsec_<base64> or printable ASCII text.");
  }
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded) || !encoded) {
    throw new InvalidSetting("must go on in base64 after whsec_.");
  }
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}

/** Judged as what it was made from, and as it is written: that may be an example of somebody's documents. */
export function parseWebhookSecret(given: string, judging: Judging): string {
  const key = Buffer.from(webhookKey(given)).toString("latin1");
  requireStrongSecret(key, judging, { length: minKeyBytes, unit: "bytes" });
  if (given.startsWith("whsec_")) requireStrongSecret(given.slice("whsec_".length), judging);
  return given;
}
