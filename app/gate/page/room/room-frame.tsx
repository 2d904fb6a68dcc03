import { startTransition, useCallback, useEffect, useState } from "react";
import type { ComponentType } from "react";
import type { GateVisit } from "~/gate/visit";
import type { PublicSettings } from "~/platform/public-settings";
import { Button } from "~/ui/button";
import { nextTask } from "~/ui/next-task";
import { Notice } from "~/ui/notice";
import type { GateRoom } from "../gate-state";
import type { GateNotice } from "../gate-notice-shape";
import type { RoomProps } from "./room";
import { ServedRoom } from "./served-room";
import type { GateActions } from "../use-gate-flow";
import type { WalletAccount } from "../wallet/wallet-session";

type RoomFrameProps = {
  settings: PublicSettings;
  room: GateRoom;
  account: WalletAccount | null;
  notice: GateNotice | null;
  /** What the server has drawn into the page already; null where the room was opened in it. */
  served: Extract<GateVisit, { kind: "inside" }> | null;
  actions: GateActions;
};

/**
 * Rendering and sanitising code is needed by nobody who is still outside, so the room comes when it is opened. Until
 * then a page that was drawn by the server stays as it is: it can be read, and listened to, already.
 */
export function RoomFrame({ served, ...props }: RoomFrameProps) {
  const { Room, hasFailed, load } = useRoomCode(props.room.grant.content.welcomeText);
  if (Room) return <Room {...props} isServed={served !== null} />;
  return (
    <>
      {served ? <ServedRoom served={served} /> : <p role="status">Opening the room.</p>}
      {hasFailed ? (
        <Notice tone="problem" title="The rest of the room could not be loaded">
          <p>
            Either this device is offline, or the site is away for a moment. You are signed in all the same.
          </p>
          <Button tone="quiet" onClick={load}>
            Try again
          </Button>
        </Notice>
      ) : null}
    </>
  );
}

function useRoomCode(welcomeText: string) {
  const [Room, setRoom] = useState<ComponentType<RoomProps> | null>(null);
  const [hasFailed, setFailed] = useState(false);

  const fetchCode = useCallback(
    () =>
      void loadRoom(welcomeText).then(
        (loaded) => startTransition(() => setRoom(() => loaded)),
        () => setFailed(true),
      ),
    [welcomeText],
  );
  useEffect(() => {
    if (!Room) fetchCode();
  }, [Room, fetchCode]);

  function load() {
    setFailed(false);
    fetchCode();
  }

  return { Room, hasFailed, load };
}

/** In tasks of their own, so that a tap on a phone is not kept waiting by all of it at once. */
async function loadRoom(welcomeText: string): Promise<ComponentType<RoomProps>> {
  const { Room, warmUp } = await import("./room");
  await nextTask();
  warmUp(welcomeText);
  await nextTask();
  return Room;
}
