import type { Address } from "viem";
import { useCallback, useEffect } from "react";
import { accountOf } from "../gate-state";
import type { GateState, GateTools } from "../gate-state";
import { chosenKey, holderOf } from "../kinds/key-choice";
import { orderFindings } from "../kinds/kind-order";
import { kindNamed } from "../kinds/page-kind";
import type { SignedKey } from "../kinds/signed-key";
import type { WalletAccount } from "../wallet/wallet-setup";
import { keepSession } from "./session-tasks";

/** With which key the visitor signs in, how a demo's visitor gets one, and signing in. */
export function useKey(tools: GateTools, state: GateState, wait: () => AbortSignal) {
  const { settings, kinds, api, dispatch, run, openWallet } = tools;
  const account = accountOf(state);
  const chainId = account?.chainId;
  // Back outside, the keys are looked up again: the room may have closed because one is gone.
  const holder = state.phase === "connected" ? holderOf(state.choice, state.account.address) : null;
  const readKeys = useReadKeys(tools);

  useEffect(() => {
    if (holder) void readKeys(holder);
  }, [readKeys, holder, chainId]);

  const signInWith = (signer: WalletAccount, key: SignedKey) =>
    run("sign-in", async (turn) => {
      const signal = wait();
      dispatch({ type: "task-started", turn, task: { kind: "sign-in", step: "nonce" } });
      const wallet = await openWallet();
      await wallet.ensureChain(key.chainId);
      const proof = await wallet.proveForRoom({
        api,
        wallet,
        address: signer.address,
        key,
        origin: tools.origin,
        nowMs: Date.now(),
        onAsk: () => dispatch({ type: "task-moved", turn, task: { kind: "sign-in", step: "wallet" } }),
      });
      if (signal.aborted) return;
      dispatch({ type: "task-moved", turn, task: { kind: "sign-in", step: "server" } });
      const grant = await api.enter(proof);
      const { kindName, tokenId, vault } = key;
      dispatch({ type: "granted", turn, kindName, tokenId, vault, grant });
      if (grant.accessToken) await keepSession(tools, grant.accessToken);
    });

  return {
    chooseKind: (kindName: string) =>
      dispatch({ type: "kind-chosen", kindName, takesDelegates: kindNamed(kinds, kindName).takesDelegates }),
    typeTokenId: (typed: { tokenId: string; kindName: string }) =>
      dispatch({ type: "token-id-typed", ...typed }),
    typeVault: (typed: { vault: string; kindName: string }) => dispatch({ type: "vault-typed", ...typed }),
    /** What the wallet's own network says, once more. */
    lookAgain() {
      if (holder) void readKeys(holder);
    },
    /** From the faucet, without a transaction of the wallet's own; what the page has read is read again. */
    getDemoToken(token: string) {
      if (state.phase !== "connected" || state.task || !account || !holder) return;
      void run("token", async (turn) => {
        dispatch({ type: "task-started", turn, task: { kind: "token", step: "faucet" } });
        await api.askForTestFunds(account.address, token);
        dispatch({ type: "task-done", turn });
        await readKeys(holder);
      });
    },
    mint() {
      if (!account) return;
      void run("mint", async (turn) => {
        dispatch({ type: "task-started", turn, task: { kind: "mint", step: "funds" } });
        const wallet = await openWallet();
        await api.askForTestFunds(account.address);
        dispatch({ type: "task-moved", turn, task: { kind: "mint", step: "wallet" } });
        await wallet.ensureChain(settings.chainId);
        const { minted } = await wallet.mintKey(account.address);
        dispatch({ type: "task-moved", turn, task: { kind: "mint", step: "chain" } });
        dispatch({ type: "key-minted", turn, kindName: kinds[0].name, tokenId: await minted });
      });
    },
    signIn() {
      if (state.phase === "connected") void signInWith(state.account, chosenKey(kinds, state));
    },
    signInWith,
  };
}

/** Of `holder`, which may be another wallet than the connected one. */
function useReadKeys({ kinds, dispatch, openWallet }: GateTools) {
  return useCallback(
    async (holder: Address) => {
      const findings = await openWallet()
        .then((wallet) => wallet.findKeys(holder))
        // What could not be found out can be typed.
        .catch(() => kinds.map(({ name }) => ({ name, tokenIds: null, requirement: null })));
      dispatch({ type: "keys-read", holder, findings: orderFindings(kinds, findings) });
    },
    [kinds, dispatch, openWallet],
  );
}
