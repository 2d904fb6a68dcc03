import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "../body/body.server";

/** How many requests a client may send ahead on one connection, before the answer to the first is out. */
const maxSentAhead = 4;

type Sent = { request: IncomingMessage; response: ServerResponse };

/**
 * Requests of one connection are answered one after the other. Node hands over all of them at once, and a response that
 * still waits for its turn never learns that the client has left.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const sentAhead = new WeakMap<Socket, Sent[]>();

  function answer({ request, response }: Sent, waiting: Sent[]): void {
    const { socket } = request;
    if (socket.isPaused()) socket.resume();
    response.once("close", () => {
      const next = socket.destroyed ? undefined : waiting.shift();
      if (next) answer(next, waiting);
      else sentAhead.delete(socket);
    });
    listener(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    const waiting = sentAhead.get(socket);
    if (waiting === undefined) {
      const own: Sent[] = [];
      sentAhead.set(socket, own);
      answer({ request, response }, own);
    } else if (waiting.length < maxSentAhead) {
      waiting.push({ request, response });
      // A body waits unread for its turn. Without one the socket goes on, because it tells when the client leaves.
      if (hasBody(request.headers)) socket.pause();
    } else socket.destroy();
  };
}
