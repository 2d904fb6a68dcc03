import type { Address } from "viem";
import { useCallback, useEffect } from "react";
import { accountOf, enterRoom } from "../gate-state";
import type { GateState, GateTask, GateTools } from "../gate-state";
import { chosenKey, holderOf, reduceChoice } from "../kinds/key-choice";
import type { ChoiceEvent } from "../kinds/key-choice";
import { orderFindings } from "../kinds/kind-order";
import { kindNamed } from "../kinds/page-kind";
import type { SignedKey } from "../kinds/signed-key";
import type { WalletAccount } from "../wallet/wallet-setup";
import { keepSession } from "./session-tasks";

/** The key that the visitor signs in with, how a demo's visitor gets one, and signing in. */
export function useKey(tools: GateTools, state: GateState) {
  const { settings, kinds, api, page, openWallet } = tools;
  const chainId = accountOf(state)?.chainId;
  // Back outside, the keys are looked up again: the room may have closed because one is gone.
  const holder = state.phase === "connected" ? holderOf(state.choice, state.account.address) : null;

  /** The keys of a wallet, which may be another than the connected one. */
  const readKeys = useCallback(
    async (whose: Address) => {
      const findings = await openWallet()
        .then((wallet) => wallet.findKeys(whose))
        // The visitor can type an id that was not found.
        .catch(() => kinds.map(({ name }) => ({ name, tokenIds: null, requirement: null })));
      choose(tools, { type: "keys-read", holder: whose, findings: orderFindings(kinds, findings) });
    },
    [tools, kinds, openWallet],
  );
  useEffect(() => {
    if (holder) void readKeys(holder);
  }, [readKeys, holder, chainId]);

  const signInWith = (key: SignedKey) =>
    runTask(tools, { kind: "sign-in", step: "nonce" }, async ({ address }, move, turn) => {
      const wallet = await openWallet();
      await wallet.ensureChain(key.chainId);
      const proof = await wallet.proveForRoom({
        api,
        wallet,
        address,
        key,
        origin: tools.origin,
        nowMs: Date.now(),
        onAsk: () => move({ kind: "sign-in", step: "wallet" }),
      });
      // The visitor has stopped waiting: what the wallet signs after that is not used.
      if (!page.isUnderWay(turn)) return;
      move({ kind: "sign-in", step: "server" });
      const grant = await api.enter(proof);
      const { kindName, tokenId, vault } = key;
      const room = { kindName, tokenId, vault, grant, session: null };
      page.updateIn("connected", (now) => enterRoom(now, room), turn);
      if (grant.accessToken) await keepSession(tools, grant.accessToken);
    });

  return {
    chooseKind: (kindName: string) =>
      choose(tools, {
        type: "kind-chosen",
        kindName,
        takesDelegates: kindNamed(kinds, kindName).takesDelegates,
      }),
    typeTokenId: (typed: { tokenId: string; kindName: string }) =>
      choose(tools, { type: "token-id-typed", ...typed }),
    typeVault: (typed: { vault: string; kindName: string }) =>
      choose(tools, { type: "vault-typed", ...typed }),
    /** Asks the wallet's own network once more. */
    lookAgain() {
      if (holder) void readKeys(holder);
    },
    /** From the faucet, without a transaction of the wallet's own; what the page has read is read again. */
    getDemoToken(token: string) {
      void runTask(tools, { kind: "token", step: "faucet" }, async ({ address }, move) => {
        await api.askForTestFunds(address, token);
        move(null);
        if (holder) await readKeys(holder);
      });
    },
    mint() {
      void runTask(tools, { kind: "mint", step: "funds" }, async ({ address }, move, turn) => {
        const wallet = await openWallet();
        await api.askForTestFunds(address);
        move({ kind: "mint", step: "wallet" });
        await wallet.ensureChain(settings.chainId);
        const { minted } = await wallet.mintKey(address);
        move({ kind: "mint", step: "chain" });
        choose(tools, { type: "key-minted", kindName: kinds[0].name, tokenId: await minted }, turn);
      });
    },
    signIn() {
      if (state.phase === "connected") void signInWith(chosenKey(kinds, state));
    },
    signInWith,
    stopWaiting() {
      page.begin();
      page.updateIn("connected", (now) => ({ ...now, task: null }));
    },
  };
}

type Work = (account: WalletAccount, move: (task: GateTask | null) => void, turn: number) => Promise<void>;

/** One at a time, beside the keys: `move` says how far it has come, null that it is done. */
async function runTask({ page, run }: GateTools, task: GateTask, work: Work): Promise<void> {
  const state = page.read();
  if (state.phase !== "connected" || state.task) return;
  await run(task.kind, async (turn) => {
    const move = (step: GateTask | null) =>
      page.updateIn("connected", (now) => ({ ...now, task: step }), turn);
    move(task);
    await work(state.account, move, turn);
  });
}

/** A minted key ends its task; another kind or vault waits for the task in progress. */
export function choose({ page }: Pick<GateTools, "page">, event: ChoiceEvent, turn?: number): void {
  page.update((state) => {
    if (state.phase === "away" || !state.account) return state;
    const choice = reduceChoice(state.choice, event, state.account.address);
    if (state.phase === "inside" || event.type === "keys-read" || event.type === "token-id-typed") {
      return { ...state, choice };
    }
    if (event.type === "key-minted") return { ...state, choice, task: null };
    return state.task ? state : { ...state, choice, notice: null };
  }, turn);
}
