import { Refusal } from "~/platform/refusals/refusal";

/** How many bodies one client may be sending to this process at a time. */
export const maxBodiesOfClient = 64;
const retryAfter = 1;

/** By client: how many of its bodies are being received. */
const taken = new Map<string, number>();

/**
 * Takes a place of the client while a body is received, and returns how to leave it. Throws the refusal
 * `too-many-requests` when all are taken.
 */
export function takeBodyPlace(clientId: string): () => void {
  const others = taken.get(clientId) ?? 0;
  if (others >= maxBodiesOfClient) {
    throw new Refusal("too-many-requests", {
      detail: `You are sending more than ${maxBodiesOfClient} requests at once. Let some of them finish, then try again.`,
      headers: {
        "X-RateLimit-Limit": String(maxBodiesOfClient),
        "X-RateLimit-Remaining": "0",
        "RateLimit-Policy": `"bodies";q=${maxBodiesOfClient};qu="concurrent-requests"`,
        RateLimit: `"bodies";r=0;t=${retryAfter}`,
        "Retry-After": String(retryAfter),
      },
      members: { limit: maxBodiesOfClient, remaining: 0, retryAfter },
    });
  }
  taken.set(clientId, others + 1);
  return () => {
    const left = taken.get(clientId)! - 1;
    if (left > 0) taken.set(clientId, left);
    else taken.delete(clientId);
  };
}
