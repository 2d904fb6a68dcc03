import type { EventLog } from "~/platform/log.server";

export type PubSubConnection = {
  /** Rejects, or never resolves, when the connection is lost. */
  send: (message: string) => Promise<unknown>;
  close: () => void;
};

export type ConnectPubSub = (events: {
  onMessage: (message: string) => void;
  onLost: () => void;
}) => Promise<PubSubConnection>;

export type ConnectionOptions = {
  connect: ConnectPubSub;
  log: EventLog;
  /** How often a message of its own is sent, by which the connection shows that messages arrive. */
  heartbeatMs?: number;
  /** How long it stays open when nobody needs it. */
  idleMs?: number;
};

type Events = {
  isNeeded: () => boolean;
  onOpen: () => void;
  onMessage: (message: string) => void;
  onHeartbeat: () => void;
  onOutage: () => void;
};

const defaultHeartbeatMs = 3_000;
const defaultIdleMs = 10_000;
const shortestPauseMs = 100;
const longestPauseMs = 5_000;
/** Heartbeats that are not heard before the connection counts as lost. */
const maxUnheard = 2.5;

/** At most one connection, open while it is needed and made again when it is lost. */
export function keepConnection(options: ConnectionOptions, events: Events) {
  const { connect, log, heartbeatMs = defaultHeartbeatMs, idleMs = defaultIdleMs } = options;
  let open: { connection: PubSubConnection; heartbeat: NodeJS.Timeout } | null = null;
  let isConnecting = false;
  let isClosed = false;
  /** Since a message was heard. */
  let failures = 0;
  let heardAtMs = 0;
  let retry: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;

  function drop(): void {
    const dropped = open;
    open = null;
    clearInterval(dropped?.heartbeat);
    dropped?.connection.close();
  }

  function noteOutage(err: unknown): void {
    if (failures === 0) log.warn({ err }, "no notifications between instances; the state is polled instead");
    events.onOutage();
    clearTimeout(retry);
    retry = setTimeout(retryNow, toPauseMs(failures++)).unref();
  }

  function retryNow(): void {
    retry = undefined;
    if (events.isNeeded()) void ensure();
  }

  function lose(connection: PubSubConnection, err: unknown): void {
    if (open?.connection !== connection) return;
    drop();
    noteOutage(err);
  }

  function beat(): void {
    if (open === null) return;
    if (!events.isNeeded()) heardAtMs = performance.now();
    // One that hangs, or a pooler behind which nothing is heard, is as good as none.
    const isHeard = performance.now() - heardAtMs <= maxUnheard * heartbeatMs;
    if (isHeard && events.isNeeded()) events.onHeartbeat();
    if (!isHeard) lose(open.connection, new Error("Nothing that is sent is heard."));
  }

  function onMessage(message: string): void {
    heardAtMs = performance.now();
    if (failures > 0) log.info({}, "notifications between instances arrive again");
    failures = 0;
    events.onMessage(message);
  }

  async function ensure(): Promise<void> {
    clearTimeout(idle);
    if (open !== null || isConnecting || retry !== undefined || isClosed) return;
    isConnecting = true;
    try {
      const lost = new Error("The connection was lost.");
      const connection = await makeConnection(connect, { onMessage, onLost: (made) => lose(made, lost) });
      if (isClosed) return connection.close();
      heardAtMs = performance.now();
      open = { connection, heartbeat: setInterval(beat, heartbeatMs).unref() };
      events.onHeartbeat();
      events.onOpen();
    } catch (error) {
      noteOutage(error);
    } finally {
      isConnecting = false;
    }
  }

  return {
    find: () => open?.connection ?? null,
    /** Opens it, unless that was tried a moment ago. */
    ensure: () => void ensure(),
    lose,
    /** To be called when less is needed than before. */
    release(): void {
      clearTimeout(idle);
      if (open === null || events.isNeeded()) return;
      idle = setTimeout(() => {
        if (!events.isNeeded()) drop();
      }, idleMs).unref();
    },
    close(): void {
      isClosed = true;
      clearTimeout(retry);
      clearTimeout(idle);
      drop();
    },
  };
}

function toPauseMs(failures: number): number {
  const pauseMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(failures, 10));
  return pauseMs * (0.5 + Math.random() / 2);
}

type MakeEvents = { onMessage: (message: string) => void; onLost: (made: PubSubConnection) => void };

async function makeConnection(connect: ConnectPubSub, { onMessage, onLost }: MakeEvents) {
  let made: PubSubConnection | null = null;
  let isLost = false;
  function noteLost(): void {
    isLost = true;
    if (made !== null) onLost(made);
  }
  made = await connect({ onMessage, onLost: noteLost });
  if (!isLost) return made;
  made.close();
  throw new Error("The connection was lost as it was made.");
}
