import { useReducer, useRef, useState } from "react";
import type { GateVisit } from "~/gate/session/visit";
import { useKey } from "./entry/use-key";
import { useVisit } from "./entry/use-visit";
import { useForm } from "./form/use-form";
import { createGateApi } from "./gate-api";
import { reduceGate, stateFromVisit } from "./gate-flow";
import { noticeFor } from "./gate-notice";
import type { GateTools } from "./gate-state";
import { useAccount } from "./wallet/use-account";
import type { Wallet } from "./wallet/use-wallet";
import type { LastWallet } from "./wallet/wallet-cookie";
import type { WalletParts } from "./wallet/wallet-parts";

export type GateActions = ReturnType<typeof useGate>["actions"];

type GateOptions = Pick<GateTools, "settings" | "kinds"> & {
  visit: GateVisit;
  lastWallet: LastWallet | null;
};

/** What `WalletParts` is drawn with, once its code has come. */
type Parts = { WalletParts: typeof WalletParts; onWallet: (wallet: Wallet) => void };

/** The state, and what the visitor can do in it. */
export function useGate({ settings, kinds, visit, lastWallet }: GateOptions) {
  const [state, dispatch] = useReducer(reduceGate, null, () => stateFromVisit(visit, Date.now()));
  const [parts, setParts] = useState<Parts | null>(null);
  const [tools] = useState(() => createTools({ settings, kinds, dispatch, setParts }));
  const patience = useRef(new AbortController());

  /** Aborted when the visitor no longer waits for the wallet: what it signs after that is not used. */
  function wait(): AbortSignal {
    patience.current = new AbortController();
    return patience.current.signal;
  }

  function stopWaiting() {
    patience.current.abort();
    const type = state.phase === "inside" ? "form-abandoned" : "task-abandoned";
    dispatch({ type, turn: tools.nextTurn() });
  }

  const { chooser, ...connection } = useAccount(tools, state);
  const { signInWith, ...key } = useKey(tools, state, wait);
  const { look, returning, ...room } = useVisit(tools, state, { lastWallet, signInWith });
  const form = useForm(tools, state, wait);
  return {
    state,
    parts,
    chooser,
    look,
    returning: chooser === "closed" ? returning : null,
    actions: { ...connection, ...key, ...room, ...form, stopWaiting },
  };
}

type Setup = Pick<GateTools, "settings" | "kinds" | "dispatch"> & { setParts: (parts: Parts) => void };

function createTools({ settings, kinds, dispatch, setParts }: Setup): GateTools {
  const origin = typeof window === "undefined" ? "http://localhost" : window.location.origin;
  let lastTurn = 0;
  let wallet: Promise<Wallet> | null = null;
  const nextTurn = () => (lastTurn += 1);
  return {
    settings,
    kinds,
    origin,
    api: createGateApi(origin),
    dispatch,
    nextTurn,
    async run(activity, work) {
      const turn = nextTurn();
      try {
        await work(turn);
        return true;
      } catch (error) {
        dispatch({ type: "failed", turn, notice: noticeFor(error, activity) });
        return false;
      }
    },
    openWallet() {
      wallet ??= import("./wallet/wallet-parts")
        .then(({ WalletParts }) => new Promise<Wallet>((onWallet) => setParts({ WalletParts, onWallet })))
        .catch((error: unknown) => {
          // A failed download is retried at the next press.
          wallet = null;
          throw error;
        });
      return wallet;
    },
  };
}
