import { useState } from "react";
import type { GateVisit } from "~/gate/session/visit";
import { useKey } from "./entry/use-key";
import { useVisit } from "./entry/use-visit";
import { useForm } from "./form/use-form";
import { createGateApi } from "./gate-api";
import { noticeFor } from "./gate-notice";
import { createGatePage, stateFromVisit } from "./gate-state";
import type { GateTools } from "./gate-state";
import { useWalletAccount } from "./wallet/use-wallet-account";
import type { Wallet } from "./wallet/use-wallet";
import type { LastWallet } from "./wallet/wallet-cookie";
import type { WalletParts } from "./wallet/wallet-parts";

export type GateActions = ReturnType<typeof useGate>["actions"];

type GateOptions = Pick<GateTools, "settings" | "kinds"> & {
  visit: GateVisit;
  lastWallet: LastWallet | null;
};

/** Parts of the wallet's code, once loaded. */
type Parts = { WalletParts: typeof WalletParts; onWallet: (wallet: Wallet) => void };

export function useGate({ settings, kinds, visit, lastWallet }: GateOptions) {
  const [state, show] = useState(() => stateFromVisit(visit, Date.now()));
  const [parts, setParts] = useState<Parts | null>(null);
  const [tools] = useState(() =>
    createTools({ settings, kinds, page: createGatePage(state, show), setParts }),
  );
  const { chooser, ...connection } = useWalletAccount(tools, state);
  const { signInWith, ...key } = useKey(tools, state);
  const { look, returning, ...room } = useVisit(tools, state, { lastWallet, signInWith });
  const form = useForm(tools);
  return {
    state,
    parts,
    chooser,
    look,
    returning: chooser === "closed" ? returning : null,
    actions: { ...connection, ...key, ...room, ...form },
  };
}

type Setup = Pick<GateTools, "settings" | "kinds" | "page"> & { setParts: (parts: Parts) => void };

export function createTools({ settings, kinds, page, setParts }: Setup): GateTools {
  const origin = typeof window === "undefined" ? "http://localhost" : window.location.origin;
  let wallet: Promise<Wallet> | null = null;
  return {
    settings,
    kinds,
    origin,
    api: createGateApi(origin),
    page,
    async run(activity, work, turn = page.begin()) {
      page.update((state) => ({ ...state, notice: null }), turn);
      try {
        await work(turn);
        return true;
      } catch (error) {
        page.fail(noticeFor(error, activity), turn);
        return false;
      }
    },
    openWallet() {
      wallet ??= import("./wallet/wallet-parts")
        .then(({ WalletParts }) => new Promise<Wallet>((onWallet) => setParts({ WalletParts, onWallet })))
        .catch((error: unknown) => {
          // The next press retries a failed download.
          wallet = null;
          throw error;
        });
      return wallet;
    },
  };
}
