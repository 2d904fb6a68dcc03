import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { setting } from "~/platform/config/kinds";
import { refuseDemoSecret } from "~/platform/config/secret-strength";
import { InvalidSetting } from "~/platform/config/setting";
import type { Mode } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";

/** Published with every development chain, so anybody can use these accounts. */
const developmentMnemonic = "test test test test test test test test test test test junk";
const developmentAccounts = 10;
const microetherPerEther = 1_000_000;
/** The maximum of the 32-bit columns, rounded down. */
const maxEther = 2_000;
/** The span of every limit on payments. */
export const daySeconds = 86_400;
const etherRange = `0.000001 to ${maxEther}, with at most 6 decimals`;

export const paymentSettings = {
  privateKey: setting(
    "AI_PRIVATE_KEY",
    {
      parse: (given, { mode }) => parsePrivateKey(given, mode),
      isSecret: true,
      range: "0x and 64 hex digits",
      switches: { name: "Payments to holders" },
    },
    "Key of the wallet that pays holders. Without it the tool `send_crypto_to_signed_in_user` does not exist. Fund it with little.",
  ),
  maxMicroetherPerCall: setting(
    "AI_CRYPTO_MAX_ETHER_PER_CALL",
    { parse: parseEther, range: etherRange, default: "0.001" },
    "Most that one call pays, in the chain's coin.",
  ),
  addressMicroether: setting(
    "AI_CRYPTO_QUOTA_ETHER",
    { parse: parseEther, range: etherRange, default: "0.003" },
    "Most that payments to one address may cost in any 24 hours, network fees included.",
  ),
  dailyMicroether: setting(
    "AI_CRYPTO_DAILY_ETHER",
    { parse: parseEther, range: etherRange, default: "0.01" },
    "Most that all payments together may cost in any 24 hours, network fees included.",
  ),
};

export function readPayments(reader: SettingReader) {
  const { privateKey, ...limits } = reader.read(paymentSettings);
  return privateKey === null ? null : { privateKey, addressWindowSeconds: daySeconds, ...limits };
}

function parseEther(given: string): number {
  const microether = /^\d{1,4}(\.\d{1,6})?$/.test(given) ? Math.round(Number(given) * microetherPerEther) : 0;
  if (microether >= 1 && microether <= maxEther * microetherPerEther) return microether;
  throw new InvalidSetting(`must be a decimal number from ${etherRange}.`);
}

function parsePrivateKey(given: string, mode: Mode): `0x${string}` {
  refuseDemoSecret(given, mode);
  const key = given as `0x${string}`;
  const address = findAddress(key);
  if (address === null) throw new InvalidSetting("must be a private key: 0x and 64 hex digits.");
  if (mode !== "production" || !isDevelopmentAddress(address)) return key;
  throw new InvalidSetting(
    "is the key of a development account, which everybody knows. Create a new wallet.",
  );
}

/** Not every number of that length is a key. */
function findAddress(key: `0x${string}`): string | null {
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) return null;
  try {
    return privateKeyToAccount(key).address;
  } catch {
    return null;
  }
}

function isDevelopmentAddress(address: string): boolean {
  return Array.from({ length: developmentAccounts }, (_, addressIndex) =>
    mnemonicToAccount(developmentMnemonic, { addressIndex }),
  ).some((account) => account.address === address);
}
