import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import type { GateState } from "../gate-state";
import { NoticeCard } from "../notice-card";

type ConnectCardProps = { state: GateState; isDemo: boolean; onConnect: () => void };

/** The first step: no wallet is connected. */
export function ConnectCard({ state: { phase, notice }, isDemo, onConnect }: ConnectCardProps) {
  const isLoading = phase === "fetching-wallets";
  return (
    <Card title="Connect your wallet">
      <p>
        The key to this room is a token in a wallet. Connecting shows this page your address and nothing else.
      </p>
      <div className="row">
        <Button onClick={onConnect} busy={isLoading}>
          {isLoading ? "Looking for wallets" : "Connect"}
        </Button>
      </div>
      {/* While the wallets are listed, it stands above them. */}
      {notice && phase !== "choosing" ? <NoticeCard notice={notice} /> : null}
      {isDemo ? (
        <p className="soft">
          This is a demo: if you have no wallet at hand, choose the <strong>demo wallet</strong>. Its test key
          is made in your browser and is good for nothing but this demo.
        </p>
      ) : null}
    </Card>
  );
}
