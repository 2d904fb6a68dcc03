import { eitherOf } from "~/platform/config/kinds";

/** Null when the provider would take requests, else what is wrong with it, in a sentence. */
export type ProviderPing = () => Promise<string | null>;

export type ProviderRow<Config, Provider> = {
  /** The value of the setting that chooses it. */
  name: string;
  /** A description for the operator who chooses. */
  summary: string;
  /** It is part of this process. */
  isEmbedded?: boolean;
  /** The operator pays for each request. */
  isPaid?: boolean;
  /** Settings it cannot be chosen without; the configuration has checked them when `create` is called. */
  needs: readonly string[];
  create: (config: Config) => Provider;
  ping: (config: Config) => ProviderPing;
};

/** For what is part of this process. */
export const alwaysReady: ProviderPing = async () => null;

/** What the setting that chooses among them may be; `others`: values that name no provider. */
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
