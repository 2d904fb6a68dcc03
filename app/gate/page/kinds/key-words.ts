import type { Opening } from "~/gate/kinds/kind";
import type { PublicSettings } from "~/platform/config/public-settings";

const openingWords = {
  room: "the room",
  chat: "the chat",
  tts: "reading aloud",
  tools: "tools for programs",
};

/** "the room, the chat and docs.example" */
export function opensText(opens: readonly Opening[]): string {
  const words = opens.map((opening) =>
    opening.startsWith("door:")
      ? opening.slice("door:".length)
      : openingWords[opening as keyof typeof openingWords],
  );
  return words.length === 0 ? "nothing yet" : listWords(words);
}

/** "a, b and c" */
export function listWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");
}

const chainNames: Readonly<Record<number, string>> = {
  1: "Ethereum",
  10: "Optimism",
  100: "Gnosis",
  137: "Polygon",
  8453: "Base",
  42161: "Arbitrum One",
  84532: "Base Sepolia",
  11155111: "Sepolia",
};

export function chainNameOf(chainId: number): string {
  return chainNames[chainId] ?? `chain ${chainId}`;
}

export function chainName(
  chainId: number,
  { mode, chainId: own }: Pick<PublicSettings, "mode" | "chainId">,
): string {
  return mode === "demo" && chainId === own ? "the demo chain" : chainNameOf(chainId);
}

export function capitalized(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
