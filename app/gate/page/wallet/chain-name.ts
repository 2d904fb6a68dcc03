const names = new Map<number, string>([
  [1, "Ethereum"],
  [10, "Optimism"],
  [100, "Gnosis"],
  [137, "Polygon"],
  [8453, "Base"],
  [42161, "Arbitrum One"],
  [84532, "Base Sepolia"],
  [11155111, "Sepolia"],
]);

/** What people call a chain; wallets show the same names. */
export function chainName({ chainId, isDemo }: { chainId: number; isDemo: boolean }): string {
  return isDemo ? "the demo chain" : (names.get(chainId) ?? `chain ${chainId}`);
}
