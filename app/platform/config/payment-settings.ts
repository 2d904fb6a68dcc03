import type { Setting } from "./setting";

/** The part of the list of settings that is about paying holders. */
export const paymentSettings = [
  {
    name: "AI_PRIVATE_KEY",
    group: "Payments",
    secret: true,
    effect:
      "Key of the wallet that pays holders (0x and 64 hex digits). Without it the tool `send_crypto_to_signed_in_user` does not exist. Fund it with little.",
  },
  {
    name: "AI_CRYPTO_MAX_ETHER_PER_CALL",
    group: "Payments",
    default: "0.001",
    effect: "Most that one call pays, in the chain's coin, with at most 6 decimals; up to 2000.",
  },
  {
    name: "AI_CRYPTO_QUOTA_ETHER",
    group: "Payments",
    default: "0.003",
    effect: "Most that payments to one address may cost in a window, network fees included.",
  },
  {
    name: "AI_CRYPTO_QUOTA_WINDOW_SEC",
    group: "Payments",
    default: "86400",
    effect: "Length of that window in seconds, from its first payment: 60 to 31536000.",
  },
  {
    name: "AI_CRYPTO_DAILY_ETHER",
    group: "Payments",
    default: "0.01",
    effect: "Most that all payments together may cost in 24 hours, network fees included.",
  },
] as const satisfies readonly Setting[];
