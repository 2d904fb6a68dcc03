/** Why nothing was paid, in words for the client. */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
}
