import type { Address } from "viem";
import { useCallback, useEffect } from "react";
import { enterRoom } from "../gate-state";
import type { GateState, GateTask, GateTools } from "../gate-state";
import { chosenKey, holderOf, reduceChoice, orderFindings } from "../kinds/key-choice";
import type { ChoiceEvent } from "../kinds/key-choice";
import { kindNamed } from "../kinds/page-kind";
import type { SignedKey } from "../kinds/page-kind";
import type { WalletAccount } from "../wallet/wallet-setup";
import { keepSession } from "./use-visit";

/** Choosing a key, minting one in the demo, and signing in. */
export function useKey(tools: GateTools, state: GateState) {
  const { settings, kinds, api, page, openWallet } = tools;
  const { account, room, choice } = state;
  // Read again when a room closes: its key may be gone.
  const holder = account && !room ? holderOf(choice, account.address) : null;

  const readKeys = useCallback(
    async (whose: Address) => {
      const findings = await openWallet()
        .then((wallet) => wallet.findKeys(whose))
        // The visitor can type the token ID.
        .catch(() => kinds.map(({ name }) => ({ name, tokenIds: null, requirement: null })));
      choose(tools, { type: "keys-read", holder: whose, findings: orderFindings(kinds, findings) });
    },
    [tools, kinds, openWallet],
  );
  useEffect(() => {
    if (holder) void readKeys(holder);
  }, [readKeys, holder, account?.chainId]);

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
      // The visitor has stopped waiting.
      if (!page.isUnderWay(turn)) return;
      move({ kind: "sign-in", step: "server" });
      const grant = await api.enter(proof);
      const { kindName, tokenId, vault } = key;
      page.update(() => enterRoom({ kindName, tokenId, vault, grant, session: null }), turn);
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
    lookAgain() {
      if (holder) void readKeys(holder);
    },
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
      if (account && !room) void signInWith(chosenKey(kinds, { choice, account }));
    },
    signInWith,
    stopWaiting() {
      page.begin();
      page.update(() => ({ task: null }));
    },
  };
}

type Work = (account: WalletAccount, move: (task: GateTask | null) => void, turn: number) => Promise<void>;

/** One task at a time. */
async function runTask({ page, run }: GateTools, task: GateTask, work: Work): Promise<void> {
  const { account, room, task: current } = page.read();
  if (!account || room || current) return;
  await run(task.kind, async (turn) => {
    const move = (step: GateTask | null) => page.update(() => ({ task: step }), turn);
    move(task);
    await work(account, move, turn);
  });
}

export function choose({ page }: Pick<GateTools, "page">, event: ChoiceEvent, turn?: number): void {
  page.update((state) => {
    if (!state.account) return {};
    const choice = reduceChoice(state.choice, event, state.account.address);
    if (state.room || event.type === "keys-read" || event.type === "token-id-typed") return { choice };
    if (event.type === "key-minted") return { choice, task: null };
    // Another kind or vault waits for the task in progress.
    return state.task ? {} : { choice, notice: null };
  }, turn);
}
