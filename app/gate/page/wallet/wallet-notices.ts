import type { NoticeText } from "~/platform/refusals/notice";
import type { RequirementReport } from "~/gate/kinds/requirement-report";

export type Fact = readonly [label: string, value: string];
export type GateNotice = NoticeText & {
  tone: "problem" | "info";
  facts?: readonly Fact[];
  /** The key's requirements with their outcomes. */
  requirements?: RequirementReport | null;
};

type Words = Pick<GateNotice, "detail" | "remedy"> & { tone?: "info"; title?: string };

const titles = {
  connect: { rejected: "You did not connect the wallet", failed: "The wallet could not be connected" },
  network: { rejected: "You did not change the network", failed: "The wallet could not change the network" },
  mint: { rejected: "You did not confirm the new key", failed: "The key could not be made" },
  token: { rejected: "The token was refused", failed: "The token could not be given" },
  "sign-in": { rejected: "You did not sign the message", failed: "The wallet could not sign the message" },
  form: { rejected: "You did not sign the form", failed: "The wallet could not sign the form" },
  reload: { rejected: "You did not sign the message", failed: "The room could not be loaded again" },
  door: { rejected: "The wallet refused", failed: "The site could not be entered" },
  status: { rejected: "The wallet refused", failed: "The status could not be read" },
};
export type GateActivity = keyof typeof titles;

/** By default the activity's title is used. */
const walletErrors = {
  rejected: {
    tone: "info",
    detail: "The wallet reports that you declined the request. Nothing was sent.",
    remedy: "If you didn’t mean to, press the button again and confirm in the wallet.",
  },
  pending: {
    title: "The wallet is still asking",
    detail: "An earlier request is open in your wallet, here or in another tab.",
    remedy:
      "Open the wallet, by its icon in the browser’s toolbar, answer that request, then try again here.",
  },
  locked: {
    title: "The wallet is locked",
    detail: "It shares no account with this page. It is locked, or you disconnected it from this site.",
    remedy: "Unlock the wallet, then try again. If it does not ask, connect it again.",
  },
  gone: {
    title: "The wallet is no longer there",
    detail: "It was switched off, updated or removed while this page was open.",
    remedy: "Reload the page to find it again, or choose another wallet.",
  },
  silent: {
    title: "The wallet doesn’t respond",
    detail: "The wallet hasn’t responded for ten seconds.",
    remedy: "Open the wallet and check that it works, then reload this page.",
  },
  "wrong-account": {
    title: "The wallet shows another account",
    detail: "This step needs the account at the top of this page, but another one is selected in the wallet.",
    remedy: "Select that account in the wallet and try again, or disconnect and connect with the other one.",
  },
  "wrong-network": {
    title: "The wallet is on another network",
    detail: "The keys are on the network below, and the wallet didn’t switch to it.",
    remedy:
      "Try again and confirm in the wallet, or select the network there. If the wallet doesn’t know it, add it with these details:",
  },
  "chain-silent": {
    title: "The network doesn’t respond",
    detail: "The wallet works, but the keys’ network didn’t respond in time.",
    remedy:
      "Try again in a moment. If it stays like this, look at the network’s address in your wallet’s settings.",
  },
  "mint-slow": {
    title: "The network has not recorded the key yet",
    detail: "Your wallet has sent the request; the network is taking its time. It is not lost.",
    remedy: "Don’t send it again. When your wallet’s activity shows that it is done, reload this page.",
  },
  "no-funds": {
    detail: "The account cannot pay what the network charges for this.",
    remedy: "Put a little of the network’s own coin into the account, then try again.",
  },
  "relay-unreachable": {
    title: "WalletConnect is unreachable",
    detail: "The relay between this page and your phone doesn’t respond. The site itself works.",
    remedy:
      "Try again in a moment, use a wallet in this browser, or open this page in your wallet’s own browser.",
  },
  "window-blocked": {
    title: "The wallet’s window was blocked",
    detail: "This wallet opens its own window, and the browser blocked it.",
    remedy: "Allow pop-ups for this site, then choose the wallet again.",
  },
  unsupported: {
    detail: "This wallet does not support what the page asked for.",
    remedy: "Update the wallet, or use another one that holds the key.",
  },
  failed: {
    detail: "The wallet gave no reason.",
    remedy: "Look at the wallet: it may be locked, on another chain, or short of funds. Then try again.",
  },
} satisfies Record<string, Words>;
export type WalletErrorName = keyof typeof walletErrors;

export class WalletError extends Error {
  override readonly name = "WalletError";
  readonly errorName: WalletErrorName;
  readonly facts: readonly Fact[];

  constructor(errorName: WalletErrorName, options: { cause?: unknown; facts?: readonly Fact[] } = {}) {
    const { cause, facts = [] } = options;
    super(`The wallet: ${errorName}.`, { cause });
    this.errorName = errorName;
    this.facts = facts;
  }
}

/** EIP-1193, EIP-1474 and common habits. */
const errorByCode: Readonly<Record<number, WalletErrorName>> = {
  4001: "rejected",
  5000: "rejected",
  4100: "locked",
  4200: "unsupported",
  4900: "gone",
  4901: "chain-silent",
  [-32002]: "pending",
  [-32004]: "unsupported",
};

/** For wallets without useful codes. */
const errorByWords: readonly (readonly [RegExp, WalletErrorName])[] = [
  [/user (rejected|denied|cancell?ed|closed)|rejected by (the )?user/i, "rejected"],
  [/already (pending|processing)|request .*pending/i, "pending"],
  [/wallet (is )?locked|unlock (the|your) wallet|must unlock/i, "locked"],
  [/context invalidated|extension .*(reloaded|disconnected)|provider not found|connector not found/i, "gone"],
  [/account .*not found for connector|unknown account/i, "wrong-account"],
  [/insufficient funds|exceeds (the )?balance/i, "no-funds"],
  [/popup .*blocked|blocked .*popup/i, "window-blocked"],
];

/** Libraries wrap the wallet's error. A code outranks words. */
export function nameWalletError(error: unknown): WalletErrorName {
  const causes = listCauses(error);
  const ours = causes.find((cause) => cause instanceof WalletError);
  if (ours) return ours.errorName;
  for (const { code } of causes) {
    if (typeof code === "number" && errorByCode[code]) return errorByCode[code];
  }
  for (const { message } of causes) {
    const text = typeof message === "string" ? message.slice(0, 1000) : "";
    const known = errorByWords.find(([words]) => words.test(text));
    if (known) return known[1];
  }
  return "failed";
}

/** The first line, because some wallets add whole requests. */
export function findSentence(error: unknown): string | null {
  const { shortMessage, message } = (error ?? {}) as { shortMessage?: unknown; message?: unknown };
  const text = typeof shortMessage === "string" ? shortMessage : message;
  const firstLine = typeof text === "string" ? text.split("\n")[0]?.trim() : "";
  return firstLine ? firstLine.slice(0, 300) : null;
}

function listCauses(error: unknown): Record<string, unknown>[] {
  const causes: Record<string, unknown>[] = [];
  let current = error;
  while (causes.length < 8 && typeof current === "object" && current !== null) {
    const found = current as Record<string, unknown>;
    causes.push(found);
    // Some mobile wallets hide the real error in `data`.
    current = found.cause ?? (found.data as { originalError?: unknown } | undefined)?.originalError;
  }
  return causes;
}

export function noticeForWallet(error: unknown, activity: GateActivity): GateNotice {
  const errorName = nameWalletError(error);
  const words: Words = walletErrors[errorName];
  const title = titles[activity][errorName === "rejected" ? "rejected" : "failed"];
  const detail = (errorName === "failed" && findSentence(error)) || words.detail;
  const facts = error instanceof WalletError && error.facts.length > 0 ? { facts: error.facts } : {};
  return { tone: "problem", title, ...words, detail, ...facts };
}

export function noticeForMissing(missing: "gone" | "locked", name: string): GateNotice {
  if (missing === "gone") {
    return {
      tone: "info",
      title: "Your wallet was not found",
      detail: `You were connected with ${name}, which is not in this browser now: switched off, removed, or still starting.`,
      remedy: "Switch it on and reload this page, or connect another wallet.",
    };
  }
  return {
    tone: "info",
    title: "Your wallet is locked",
    detail: `You were connected with ${name}. It is locked, or does not share an account with this site any more.`,
    remedy: "Unlock it, then connect again.",
  };
}
