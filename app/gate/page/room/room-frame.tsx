import { startTransition, useCallback, useEffect, useState } from "react";
import type { ComponentType } from "react";
import type { GateVisit } from "~/gate/session/visit";
import { Button } from "~/ui/button";
import { nextTask } from "~/ui/next-task";
import { Notice } from "~/ui/notice";
import type { RoomProps } from "./room";
import { ServedRoom } from "./served-room";

type RoomFrameProps = Omit<RoomProps, "isServed"> & { visit: GateVisit };

/** Shows the server's rendering until the room's code has loaded. */
export function RoomFrame({ visit, ...props }: RoomFrameProps) {
  const { content } = props.state.room.grant;
  const { Room, hasFailed, retry } = useRoomCode(content.welcomeText);
  // Null if the room was opened later.
  const served = visit.kind === "inside" && visit.content === content ? visit : null;
  if (Room) return <Room {...props} isServed={served !== null} />;
  return (
    <>
      {served ? (
        <ServedRoom served={served} signedKey={props.signedKey} />
      ) : (
        <p role="status">Opening the room.</p>
      )}
      {hasFailed ? (
        <Notice tone="problem" title="The rest of the room could not be loaded">
          <p>
            Either this device is offline, or the site is away for a moment. You are signed in all the same.
          </p>
          <Button tone="quiet" onClick={retry}>
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

  const load = useCallback(() => {
    loadRoom(welcomeText).then(
      (loaded) => startTransition(() => setRoom(() => loaded)),
      () => setFailed(true),
    );
  }, [welcomeText]);
  useEffect(() => {
    if (!Room) load();
  }, [Room, load]);

  function retry() {
    setFailed(false);
    load();
  }

  return { Room, hasFailed, retry };
}

/** Separate tasks keep a phone responsive. */
async function loadRoom(welcomeText: string): Promise<ComponentType<RoomProps>> {
  const { Room, warmUp } = await import("./room");
  await nextTask();
  warmUp(welcomeText);
  await nextTask();
  return Room;
}
