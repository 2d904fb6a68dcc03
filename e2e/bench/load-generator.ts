import { connect } from "node:net";
import type { Socket } from "node:net";
import { findAnswer, isExpected } from "./http-answer";
import type { ExpectedAnswer } from "./http-answer";
import { answerParent } from "./worker-process";

/**
 * `requests` are whole HTTP/1.1 requests, sent in this order, each once; with `repeat` the first one over and over. With
 * several ports each connection takes the next one, and repeats the request of its place.
 */
export type Load = {
  port: number | readonly number[];
  requests: string[];
  repeat?: number;
  connections: number;
  maxSeconds: number;
  expected: ExpectedAnswer;
  /** Hands back what was answered, in no particular order. */
  keepBodies?: boolean;
};
export type LoadResult = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  bodies: string[];
};

answerParent(generateLoad);

/**
 * A closed loop: each connection sends its next request when the answer to the last has arrived whole. Written on
 * bare sockets, because HTTP clients take more time for a request than the handlers measured here. Any answer but
 * the expected one ends the run.
 */
async function generateLoad(load: Load): Promise<LoadResult> {
  const total = load.repeat ?? load.requests.length;
  const latenciesMs: number[] = [];
  const bodies: string[] = [];
  const startedAt = performance.now();
  const deadline = startedAt + load.maxSeconds * 1000;
  let next = 0;

  const ports = [load.port].flat();

  function takeRequest(place: number): string | null {
    if (next >= total || performance.now() > deadline) return null;
    const index = next++;
    return load.requests[load.repeat === undefined ? index : place]!;
  }

  const { expected } = load;
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, (_, index) => openSocket(ports[index % ports.length]!)),
  );
  const openedAt = performance.now();
  function onAnswer({ sentAt, body }: { sentAt: number; body: string }): void {
    latenciesMs.push(performance.now() - sentAt);
    if (load.keepBodies) bodies.push(body);
  }
  try {
    await Promise.all(
      sockets.map((socket, index) => {
        const take = () => takeRequest(index % ports.length);
        return driveConnection({ socket, takeRequest: take, expected, onAnswer });
      }),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - openedAt) / 1000;
  latenciesMs.sort((left, right) => left - right);
  const at = (share: number) =>
    latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))]!;
  return { requests: latenciesMs.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99), bodies };
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    socket.once("error", reject).once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

type DriveConnectionOptions = {
  socket: Socket;
  takeRequest: () => string | null;
  expected: ExpectedAnswer;
  onAnswer: (answer: { sentAt: number; body: string }) => void;
};

function driveConnection({ socket, takeRequest, expected, onAnswer }: DriveConnectionOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = "";
    let sentAt = 0;

    function sendNext(): void {
      const request = takeRequest();
      if (request === null) return resolve();
      received = "";
      sentAt = performance.now();
      socket.write(request, "latin1");
    }
    function onData(chunk: Buffer): void {
      // One character a byte, so that lengths are byte lengths.
      received += chunk.toString("latin1");
      const answer = findAnswer(received);
      if (answer === "incomplete") return;
      if (answer === "malformed" || !isExpected(answer, expected)) {
        return reject(new Error(`An answer was not as expected:\n${received.slice(0, 2000)}`));
      }
      onAnswer({ sentAt, body: answer.body });
      sendNext();
    }
    socket.on("data", onData);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The server closed a connection in mid-run.")));
    sendNext();
  });
}
