import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button } from "~/ui/button";
import { Facts } from "~/ui/facts";
import type { Connected, GateTask } from "../gate-state";
import { RequirementList } from "../kinds/requirement-list";
import type { SignedKey } from "../kinds/page-kind";
import { NoticeCard } from "../notice-card";
import type { GateActions } from "../use-gate";
import { previewMoment, signInPreview } from "./sign-in-message";

type NewsProps = { state: Connected; settings: PublicSettings; actions: GateActions };

/** The task in progress, and the result of the last one. */
export function News({ state: { task, notice }, settings, actions }: NewsProps) {
  return (
    <>
      <p role="status" className={task ? "soft" : "visually-hidden"}>
        {task ? taskSentences[`${task.kind} ${task.step}`] : ""}
      </p>
      {task?.step === "wallet" ? (
        <div className="row">
          <Button tone="quiet" onClick={actions.stopWaiting}>
            Stop waiting
          </Button>
          <span className="soft">Don&rsquo;t see a prompt? Unlock your wallet or click its icon.</span>
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

const taskSentences: Record<string, string> = {
  "mint funds": "Getting test money for the fee.",
  "mint wallet": "Confirm the new key in your wallet.",
  "mint chain": "Waiting for the chain to record it.",
  "token faucet": "Getting the test tokens.",
  "sign-in nonce": "Getting a message to sign.",
  "sign-in wallet": "Sign the message in your wallet.",
  "sign-in server": "Checking your key.",
};

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

/** `signsSiwe`: without Ethereum sign-in, the wallet signs the older envelope. */
type SignInExplainedProps = { address: string; signedKey: SignedKey; signsSiwe: boolean };

export function SignInExplained({ address, signedKey, signsSiwe }: SignInExplainedProps) {
  const { origin, host } = window.location;
  const { kindName, isNamed, tokenId, chainId, words, opensRoom } = signedKey;
  const text = signsSiwe
    ? signInPreview({ address, key: signedKey, origin })
    : legacyEnvelopeText({
        tokenId,
        domain: host,
        path: "/api/gate-access",
        method: "POST",
        chainId,
        timestamp: 0,
        keyName: isNamed ? kindName : undefined,
      }).replace(/^Timestamp: 0$/m, `Timestamp: ${previewMoment}`);
  return (
    <details className="unfold explained">
      <summary>What you sign, word for word</summary>
      <Facts
        rows={{
          "You sign": (
            <>
              a message that names this site (<strong>{host}</strong>), your address and {words}, for one use
            </>
          ),
          "It costs": "nothing: no transaction, no fee, and it can’t move anything",
          Then: `we check on the blockchain that the key is yours, ${opensRoom ? "the room opens, " : ""}and you stay signed in here`,
        }}
      />
      <pre className="code">{text}</pre>
    </details>
  );
}
