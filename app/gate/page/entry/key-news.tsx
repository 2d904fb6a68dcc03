import type { PublicSettings } from "~/platform/config/public-settings";
import { Button } from "~/ui/button";
import type { GateTask, StateIn } from "../gate-state";
import { RequirementList } from "../kinds/requirement-list";
import { NoticeCard } from "../notice-card";
import type { GateActions } from "../use-gate";

type NewsProps = { state: StateIn<"connected">; settings: PublicSettings; actions: GateActions };

/** What is under way, and what became of the last attempt. */
export function News({ state: { task, notice }, settings, actions }: NewsProps) {
  return (
    <>
      <p role="status" className={task ? "soft" : "visually-hidden"}>
        {task ? taskSentence(task) : ""}
      </p>
      {task?.step === "wallet" ? (
        <div className="row">
          <Button tone="quiet" onClick={actions.stopWaiting}>
            Stop waiting
          </Button>
          <span className="soft">No window? Open your wallet by its icon: the request may wait there.</span>
        </div>
      ) : null}
      {notice ? (
        <NoticeCard notice={notice} onRetry={actions.signIn}>
          {notice.requirements ? (
            <>
              <RequirementList
                requirements={notice.requirements}
                source="server"
                settings={settings}
                onGetDemoToken={actions.getDemoToken}
              />
              <Button onClick={actions.signIn} blocked={task !== null}>
                Check again
              </Button>
            </>
          ) : null}
        </NoticeCard>
      ) : null}
    </>
  );
}

type MintButtonProps = { isNext: boolean; task: GateTask | null; onMint: () => void };

export function MintButton({ isNext, task, onMint }: MintButtonProps) {
  const isMinting = task?.kind === "mint";
  return (
    <div className="row">
      <Button tone={isNext ? "primary" : "quiet"} onClick={onMint} busy={isMinting} blocked={task !== null}>
        {isMinting ? "Minting" : "Mint a key"}
      </Button>
      {task ? null : <span className="soft">Free in this demo, as often as you like.</span>}
    </div>
  );
}

const taskSentences = {
  mint: {
    funds: "Getting test money for the fee.",
    wallet: "Confirm the new key in your wallet.",
    chain: "Waiting for the chain to record it.",
  },
  token: { faucet: "Getting the test tokens." },
  "sign-in": {
    nonce: "Asking the server for a fresh message.",
    wallet: "Sign the message in your wallet.",
    server: "The server is checking your key.",
  },
};

function taskSentence(task: GateTask): string {
  switch (task.kind) {
    case "mint":
      return taskSentences.mint[task.step];
    case "token":
      return taskSentences.token[task.step];
    case "sign-in":
      return taskSentences["sign-in"][task.step];
  }
}
