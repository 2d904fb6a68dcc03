/** Node's codes for a certificate that it does not trust. */
const unknownAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
const outOfTime = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

/** Node reads this name once, before it reads any `.env`. */
const howToKnow =
  "Name that authority's file in NODE_EXTRA_CA_CERTS, set before Node starts and not in a .env that Node reads";

type DescribeTlsErrorOptions = {
  error: unknown;
  server: string;
  /** The setting with the server's address. */
  setting: string;
  /** Other ways to trust an authority. */
  remedy?: string;
};

/**
 * Why a server's certificate is not trusted, and what to do. Strangers may read the sentence, so it contains no name
 * and no address. null: another reason.
 */
export function describeTlsError(options: DescribeTlsErrorOptions): string | null {
  const { error, server, setting, remedy = "" } = options;
  const code = String((error as { code?: unknown } | null)?.code);
  if (unknownAuthority.has(code)) {
    return `${server} is not trusted: no authority that this process knows has signed its certificate. ${howToKnow}${remedy}.`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `${server} is not trusted: its certificate is for another name than the host in ${setting}. Write the host as the certificate names it.`;
  }
  if (outOfTime.has(code)) {
    return `${server} is not trusted: its certificate has expired or is not valid yet. Renew it, or set the clock of this machine.`;
  }
  return null;
}
