import type { GateActivity, GateNotice } from "../gate-notice-shape";
import { findFacts, findSentence, findTrouble } from "./wallet-trouble";
import type { TroubleName } from "./wallet-trouble";

type Words = Pick<GateNotice, "detail" | "remedy"> & { tone?: "info"; title?: string };

const rejectedTitles: Record<GateActivity, string> = {
  connect: "You did not connect the wallet",
  network: "You did not change the network",
  mint: "You did not confirm the new key",
  "sign-in": "You did not sign the message",
  form: "You did not sign the form",
  reload: "You did not sign the message",
  status: "The wallet refused",
};

const failedTitles: Record<GateActivity, string> = {
  connect: "The wallet could not be connected",
  network: "The wallet could not change the network",
  mint: "The key could not be made",
  "sign-in": "The wallet could not sign the message",
  form: "The wallet could not sign the form",
  reload: "The room could not be loaded again",
  status: "The status could not be read",
};

/** What happened and the way on, for each trouble. Without a title, that of the activity stands. */
const wordsFor: Record<Exclude<TroubleName, "failed">, Words> = {
  rejected: {
    tone: "info",
    detail: "The wallet reports that the request was turned down. Nothing was sent.",
    remedy: "If that was not what you meant, press the button again and confirm in the wallet.",
  },
  pending: {
    title: "The wallet is still asking",
    detail: "An earlier request is open in your wallet, here or in another tab.",
    remedy:
      "Open the wallet, by its icon in the browser’s toolbar, answer that request, then try again here.",
  },
  locked: {
    title: "The wallet is locked",
    detail:
      "It shows this page no account: it is locked, or does not share an account with this site any more.",
    remedy: "Unlock the wallet, then try again. If it does not ask, connect it anew.",
  },
  gone: {
    title: "The wallet is no longer there",
    detail: "It was switched off, updated or removed while this page was open.",
    remedy: "Reload the page to find it again, or choose another wallet.",
  },
  silent: {
    title: "The wallet does not answer",
    detail: "This page asked the wallet something simple, and heard nothing for ten seconds.",
    remedy: "Open the wallet and see whether it is well; reload this page if it stays silent.",
  },
  "wrong-account": {
    title: "The wallet shows another account",
    detail:
      "This step belongs to the account named at the top of this page, and the wallet has another one selected.",
    remedy: "Select that account in the wallet and try again, or disconnect and connect with the other one.",
  },
  "wrong-network": {
    title: "The wallet is on another network",
    detail: "The keys of this room live on the network below, and the wallet did not change to it.",
    remedy:
      "Try again and agree in the wallet, or choose the network there by hand. If the wallet does not know it, add it with these details:",
  },
  "chain-silent": {
    title: "The network does not answer",
    detail:
      "The wallet is well, but the network the keys live on could not be asked in time. Nothing was decided.",
    remedy:
      "Try again in a moment. If it stays like this, look at the network’s address in your wallet’s settings.",
  },
  "mint-slow": {
    title: "The network has not recorded the key yet",
    detail: "Your wallet has sent the request; the network is taking its time. It is not lost.",
    remedy: "Do not send it again. Your wallet’s activity shows when it is done; then reload this page.",
  },
  "no-funds": {
    detail: "The account cannot pay what the network charges for this.",
    remedy: "Put a little of the network’s own coin into the account, then try again.",
  },
  "relay-unreachable": {
    title: "WalletConnect could not be reached",
    detail: "The relay between this page and your phone does not answer. The site itself is well.",
    remedy:
      "Try again in a moment, use a wallet in this browser, or open this page in your wallet’s own browser.",
  },
  "window-blocked": {
    title: "The wallet’s window was blocked",
    detail: "This wallet works in a window of its own, and the browser did not let it open.",
    remedy: "Allow windows for this site, at the end of the address bar, then choose the wallet again.",
  },
  unsupported: {
    detail: "This wallet cannot do what was asked of it.",
    remedy: "Update the wallet, or use another one that holds the key.",
  },
};

export function noticeForWallet(error: unknown, activity: GateActivity): GateNotice {
  const trouble = findTrouble(error);
  const facts = findFacts(error);
  const words: Words =
    trouble === "failed"
      ? {
          detail: findSentence(error) ?? "The wallet gave no reason.",
          remedy:
            "Look at the wallet: it may be locked, on another chain, or short of funds. Then try again.",
        }
      : wordsFor[trouble];
  const titles = trouble === "rejected" ? rejectedTitles : failedTitles;
  return {
    tone: "problem",
    title: titles[activity],
    ...words,
    ...(facts.length > 0 ? { facts } : {}),
  };
}

/** The wallet of an earlier visit is not to be had by itself. */
export function noticeForMissing(missing: "gone" | "locked", name: string): GateNotice {
  const { detail, remedy } =
    missing === "gone"
      ? {
          detail: `You were connected with ${name}, which is not in this browser now: switched off, removed, or still starting.`,
          remedy: "Switch it on and reload this page, or connect another wallet.",
        }
      : {
          detail: `You were connected with ${name}. It is locked, or does not share an account with this site any more.`,
          remedy: "Unlock it, then connect again.",
        };
  const title = missing === "gone" ? "Your wallet was not found" : "Your wallet is locked";
  return { tone: "info", title, detail, remedy };
}
