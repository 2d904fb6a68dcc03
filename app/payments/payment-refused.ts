/** Why nothing was paid, in words for the person who asked. */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
}
