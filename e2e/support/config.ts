import { ConfigError } from "~/platform/config/setting-reader";
import { parseConfig } from "~/settings.server";

export { parseConfig };

type Environment = Readonly<Record<string, string | undefined>>;

/** The smallest environment that runs in production. */
export const production = {
  CHAIN_ID: "8453",
  RPC_URL: "https://rpc.example.com",
  KEY_CONTRACT_ADDRESS: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  JWT_SECRET: "9f2c41d07be86a35c1f4e0927d5ab368",
  NEXT_PUBLIC_DOMAIN: "gate.example.com",
};

/** An environment's mistakes, one a line. Empty if it is accepted. */
export function problemsOf(environment: Environment, fileNames?: readonly string[]): readonly string[] {
  try {
    parseConfig(environment, fileNames);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** The same for settings in addition to production's. */
export function problemsInProduction(environment: Environment): readonly string[] {
  return problemsOf({ ...production, ...environment });
}
