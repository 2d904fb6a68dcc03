import { flag, oneOf, setting } from "~/platform/config/kinds";
import type { SettingReader } from "~/platform/config/setting-reader";
import { defaultWalletFactories, parseWalletFactories } from "./proofs/wallet-factories.settings";

export const gateSettings = {
  legacySignatures: oneOf(
    "LEGACY_SIGNATURES",
    {
      of: ["allow", "fallback", "deny"],
      default: "allow",
      switches: { name: "Older timestamped signatures", offAt: "deny" },
    },
    "The older timestamped signature; `fallback` takes it only while SIWE is off.",
  ),
  nonceBinding: oneOf(
    "NONCE_BINDING",
    {
      of: ["client", "none"],
      default: "client",
      switches: { name: "Nonces bound to their client", offAt: "none" },
    },
    "`client` binds a nonce to the client it was issued to; `none` is for users whose address changes mid sign-in.",
  ),
  requireSignedMessage: flag(
    "REQUIRE_SIGNED_MESSAGE",
    { default: false, switches: { name: "Signed form messages required" } },
    "Refuses form submissions whose message is not part of what was signed.",
  ),
  walletFactories: setting(
    "WALLET_FACTORIES",
    {
      parse: parseWalletFactories,
      range: "addresses, comma-separated, or `*` for any",
    },
    "Contracts that may deploy a contract wallet while its signature is checked (ERC-6492). Default: the seven in docs/security.md, which says what to look for in others. Local chains accept any.",
  ),
};

export function readGate(reader: SettingReader, isStateActive: boolean) {
  const values = reader.read(gateSettings);
  if (values.legacySignatures === "fallback") {
    const why = `LEGACY_SIGNATURES is fallback, and sign-in with Ethereum is ${isStateActive ? "on" : "off"}.`;
    reader.setSwitch(gateSettings.legacySignatures, !isStateActive, why);
  }
  // As for PUBLIC_ORIGIN.
  const allowsPlainHttp = reader.mode !== "production";
  return { ...values, walletFactories: values.walletFactories ?? defaultWalletFactories, allowsPlainHttp };
}
