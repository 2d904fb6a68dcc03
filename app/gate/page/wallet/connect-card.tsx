import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { NoticeCard } from "../notice-card";
import type { GateNotice } from "../gate-notice-shape";

type ConnectCardProps = {
  isDemo: boolean;
  isLoading: boolean;
  notice: GateNotice | null;
  onConnect: () => void;
};

/** The first step: no wallet is connected. */
export function ConnectCard({ isDemo, isLoading, notice, onConnect }: ConnectCardProps) {
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
      {notice ? <NoticeCard notice={notice} /> : null}
      {isDemo ? (
        <p className="soft">
          This is a demo: if you have no wallet at hand, choose the <strong>demo wallet</strong>. Its test key
          is made in your browser and is good for nothing but this demo.
        </p>
      ) : null}
    </Card>
  );
}
