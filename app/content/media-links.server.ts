import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "~/platform/time/clock";
import { Refusal } from "~/platform/refusals/refusal";
import { isCanonicalTokenId } from "./content-files.server";
import { findMediaType } from "./media-file";

type MediaTarget = { tokenId: string; file: string };
type MediaLink = MediaTarget & { exp: string | null; sig: string | null };
type MediaLinksOptions = { key: Uint8Array; ttlSeconds: number; clock: Clock };

const minKeyBytes = 32;
/** Expiry is rounded up to such steps, so that links can be cached. */
const expiryStepSeconds = 60;

/** Derived from the token key, so that all instances share it. */
export function deriveMediaKey(keyMaterial: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", keyMaterial, "", "latchkey media links 1", 32));
}

export type MediaLinks = ReturnType<typeof createMediaLinks>;

export function createMediaLinks({ key, ttlSeconds, clock }: MediaLinksOptions) {
  if (key.length < minKeyBytes) throw new TypeError(`media key must have at least ${minKeyBytes} bytes`);
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1) {
    throw new TypeError("media link lifetime must be a whole number of seconds, at least 1");
  }
  const secretKey = createSecretKey(key);
  const stepSeconds = Math.min(expiryStepSeconds, ttlSeconds);

  /** Length prefixes keep the fields apart. */
  function signatureOf(...fields: string[]): string {
    const signed = ["latchkey media link 1", ...fields].map(
      (field) => `${Buffer.byteLength(field)}:${field},`,
    );
    return createHmac("sha256", secretKey).update(signed.join("")).digest("base64url");
  }

  return {
    sign: ({ tokenId, file }: MediaTarget): string => {
      if (!isCanonicalTokenId(tokenId) || findMediaType(file) === null) {
        throw new TypeError("only media files of a canonical token id can be signed");
      }
      const exp = String(Math.ceil((clock() / 1000 + ttlSeconds) / stepSeconds) * stepSeconds);
      const filePath = file.split("/").map(encodeURIComponent).join("/");
      return `/media/${tokenId}/${filePath}?exp=${exp}&sig=${signatureOf(tokenId, file, exp)}`;
    },
    verify: ({ tokenId, file, exp, sig }: MediaLink): { maxAgeSeconds: number } => {
      const expected = Buffer.from(signatureOf(tokenId, file, exp ?? ""));
      const received = Buffer.from(sig ?? "");
      if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
        throw new Refusal("media-link-invalid", {
          detail: "This link was changed or cut off on its way. Load the room again for a new one.",
        });
      }
      const remainingMs = Number(exp) * 1000 - clock();
      if (remainingMs <= 0) {
        throw new Refusal("media-link-invalid", {
          detail: "This link has expired. Load the room again for a new one.",
        });
      }
      return { maxAgeSeconds: Math.floor(remainingMs / 1000) };
    },
  };
}
