/** What can go wrong with a wallet, as far as the page can tell and has words for. */
export type TroubleName =
  | "rejected"
  | "pending"
  | "locked"
  | "gone"
  | "silent"
  | "wrong-account"
  | "wrong-network"
  | "chain-silent"
  | "mint-slow"
  | "no-funds"
  | "relay-unreachable"
  | "window-blocked"
  | "unsupported"
  | "failed";

/** A label and a value the person can carry over by hand. */
export type Fact = readonly [label: string, value: string];

/** Trouble the page noticed itself, or one it has understood better than the wallet's own words. */
export class WalletTrouble extends Error {
  override readonly name = "WalletTrouble";
  readonly trouble: TroubleName;
  readonly facts: readonly Fact[];

  constructor(
    trouble: TroubleName,
    { cause, facts = [] }: { cause?: unknown; facts?: readonly Fact[] } = {},
  ) {
    super(`The wallet: ${trouble}.`, { cause });
    this.trouble = trouble;
    this.facts = facts;
  }
}

/** Codes of EIP-1193, EIP-1474 and the wallets' own habits. */
const troubleByCode: Readonly<Record<number, TroubleName>> = {
  4001: "rejected",
  5000: "rejected",
  4100: "locked",
  4200: "unsupported",
  4900: "gone",
  4901: "chain-silent",
  [-32002]: "pending",
  [-32004]: "unsupported",
};

/** For wallets that put all their meaning into the text. */
const troubleByWords: readonly (readonly [RegExp, TroubleName])[] = [
  [/user (rejected|denied|cancell?ed|closed)|rejected by (the )?user/i, "rejected"],
  [/already (pending|processing)|request .*pending/i, "pending"],
  [/wallet (is )?locked|unlock (the|your) wallet|must unlock/i, "locked"],
  [/context invalidated|extension .*(reloaded|disconnected)|provider not found|connector not found/i, "gone"],
  [/account .*not found for connector|unknown account/i, "wrong-account"],
  [/insufficient funds|exceeds (the )?balance/i, "no-funds"],
  [/popup .*blocked|blocked .*popup/i, "window-blocked"],
];

/**
 * Wallet libraries wrap the wallet's own error, so what tells may lie a few causes deep. A code outranks words:
 * these are the wallet's own and may say anything.
 */
export function findTrouble(error: unknown): TroubleName {
  const chain = listCauses(error);
  for (const { trouble } of chain) if (trouble !== undefined) return trouble;
  for (const { code } of chain) if (code !== undefined && code in troubleByCode) return troubleByCode[code]!;
  for (const { text } of chain) {
    const known = troubleByWords.find(([words]) => words.test(text));
    if (known) return known[1];
  }
  return "failed";
}

/** The sentence for people in an error: its first line, as some wallets put whole requests into their messages. */
export function findSentence(error: unknown): string | null {
  const { shortMessage, message } = (error ?? {}) as { shortMessage?: unknown; message?: unknown };
  const text = typeof shortMessage === "string" ? shortMessage : message;
  const firstLine = typeof text === "string" ? text.split("\n")[0]?.trim() : "";
  return firstLine ? firstLine.slice(0, 300) : null;
}

export function findFacts(error: unknown): readonly Fact[] {
  return error instanceof WalletTrouble ? error.facts : [];
}

type Cause = { trouble?: TroubleName; code?: number; text: string };

function listCauses(error: unknown): Cause[] {
  const causes: Cause[] = [];
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth += 1) {
    const { code, message, cause, data } = current as Record<string, unknown>;
    const trouble = current instanceof WalletTrouble ? { trouble: current.trouble } : {};
    causes.push({
      ...trouble,
      ...(typeof code === "number" ? { code } : {}),
      text: typeof message === "string" ? message.slice(0, 1000) : "",
    });
    // Some mobile wallets hide the real error in `data`.
    current = cause ?? (data as { originalError?: unknown } | undefined)?.originalError;
  }
  return causes;
}
