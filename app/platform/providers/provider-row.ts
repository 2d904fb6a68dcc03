import { eitherOf } from "~/platform/config/kinds";

/** Null if the provider would take requests, else a sentence about the fault. */
export type ProviderPing = () => Promise<string | null>;

export type ProviderRow<Config, Provider> = {
  /** The value of the setting that chooses it. */
  name: string;
  /** For the operator who chooses. */
  summary: string;
  /** It runs in this process. */
  isEmbedded?: boolean;
  /** The operator pays for each request. */
  isPaid?: boolean;
  /** Required settings. The configuration has checked them before `create`. */
  needs: readonly string[];
  create: (config: Config) => Provider;
  ping: (config: Config) => ProviderPing;
};

export const alwaysReady: ProviderPing = async () => null;

/** The values of the setting that chooses among them; `others` name no provider. */
export function describeProviders(
  rows: readonly { name: string; summary: string }[],
  others: readonly string[] = [],
): string {
  const names = rows.map(({ name, summary }) => `\`${name}\` (${summary})`);
  return eitherOf([...names, ...others.map((name) => `\`${name}\``)]);
}

export function getProvider<Row extends { name: string }>(rows: readonly Row[], name: string): Row {
  const row = rows.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`There is no provider ${name}.`);
  return row;
}
