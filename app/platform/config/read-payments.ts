import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { refuseDemoSecret } from "./demo-secret";
import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

/** Published with every development chain: what these accounts hold belongs to everybody. */
const developmentMnemonic = "test test test test test test test test test test test junk";
const developmentAccounts = 10;
const microetherPerEther = 1_000_000;
/** What the integer columns of the quota ledger hold, rounded down. */
const maxEther = 2_000;

/** Null without a key: then nothing is ever paid. */
export function readPayments({
  reader,
  mode,
}: {
  reader: SettingReader;
  mode: "production" | "development" | "demo";
}) {
  const limits = {
    maxMicroetherPerCall: readEther({ reader, name: "AI_CRYPTO_MAX_ETHER_PER_CALL" }),
    addressMicroether: readEther({ reader, name: "AI_CRYPTO_QUOTA_ETHER" }),
    addressWindowSeconds: reader.getInteger({
      name: "AI_CRYPTO_QUOTA_WINDOW_SEC",
      min: 60,
      max: 31_536_000,
    }),
    dailyMicroether: readEther({ reader, name: "AI_CRYPTO_DAILY_ETHER" }),
  };
  const privateKey = readPrivateKey({ reader, mode });
  return privateKey === null ? null : { privateKey, ...limits };
}

function readEther({ reader, name }: { reader: SettingReader; name: SettingName }): number {
  const text = reader.getText(name);
  const microether = /^\d{1,4}(\.\d{1,6})?$/.test(text) ? Math.round(Number(text) * microetherPerEther) : 0;
  if (microether >= 1 && microether <= maxEther * microetherPerEther) return microether;
  reader.report(name, `must be a decimal number from 0.000001 to ${maxEther}, with at most 6 decimals.`);
  return 1;
}

function readPrivateKey({
  reader,
  mode,
}: {
  reader: SettingReader;
  mode: "production" | "development" | "demo";
}): `0x${string}` | null {
  const text = reader.findText("AI_PRIVATE_KEY");
  if (text === null) return null;
  refuseDemoSecret({ reader, mode, name: "AI_PRIVATE_KEY" });
  const address = findAddress(text);
  if (address === null) {
    reader.report("AI_PRIVATE_KEY", "must be a private key: 0x and 64 hex digits.");
    return null;
  }
  if (mode === "production" && isDevelopmentAddress(address)) {
    reader.report(
      "AI_PRIVATE_KEY",
      "is the key of a development account, which everybody has. Make a wallet of its own.",
    );
  }
  return text as `0x${string}`;
}

/** Not every number of that length is a key. */
function findAddress(text: string): string | null {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) return null;
  try {
    return privateKeyToAccount(text as `0x${string}`).address;
  } catch {
    return null;
  }
}

function isDevelopmentAddress(address: string): boolean {
  return Array.from({ length: developmentAccounts }, (_, addressIndex) =>
    mnemonicToAccount(developmentMnemonic, { addressIndex }),
  ).some((account) => account.address === address);
}
