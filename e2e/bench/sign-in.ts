import { createSiweMessage } from "viem/siwe";
import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import { originOf } from "./http-requests";
import type { Holder, Prepare, RequestParts, Target } from "./http-requests";
import { generateLoad } from "./load-generator";

async function signMessage(target: Target, holder: Holder, nonce: string) {
  const { chainId } = target;
  const { address } = holder;
  const uri = originOf(target);
  const domain = new URL(uri).host;
  const message = createSiweMessage({ address, chainId, domain, nonce, uri, version: "1" });
  return { message, signature: await holder.sign(message) };
}

async function toSignIn(target: Target, holder: Holder, nonce: string): Promise<RequestParts> {
  const { address, tokenId } = holder;
  const json = { address, tokenId, nonce, ...(await signMessage(target, holder, nonce)) };
  return { method: "POST", path: "/api/gate-access", json };
}

/** The same message for better-auth's plugin. */
async function toPluginSignIn(target: Target, holder: Holder, nonce: string): Promise<RequestParts> {
  return { method: "POST", path: "/api/auth/siwe/verify", json: await signMessage(target, holder, nonce) };
}

/** Holders sign in advance and take turns, so a round measures the server and not the wallet. */
function signIns(place: RequestParts, toRequest: typeof toSignIn): Prepare {
  return async (target, count) => {
    const { port, holders } = target;
    const { bodies } = await generateLoad({ port, requests: [place], count, holds: '"nonce":' });
    const nonces = bodies.map((body) => (JSON.parse(body) as { nonce: string }).nonce);
    return await Promise.all(
      nonces.map((nonce, index) => toRequest(target, holders[index % holders.length]!, nonce)),
    );
  };
}

export const prepareSignIns = signIns({ method: "GET", path: "/api/nonce" }, toSignIn);
export const preparePluginSignIns = signIns(
  { method: "POST", path: "/api/auth/siwe/nonce", json: {} },
  toPluginSignIn,
);

type Place = { path: string; timestamp: number };

async function toLegacy(target: Target, holder: Holder, { path, timestamp }: Place): Promise<object> {
  const { tokenId, address } = holder;
  const { chainId } = target;
  const domain = new URL(originOf(target)).host;
  const text = legacyEnvelopeText({ tokenId, domain, path, method: "POST", chainId, timestamp });
  return { tokenId, signature: await holder.sign(text), address, timestamp };
}

let lastTimestamp = 0;
/** A signature is valid once, so no holder signs the same time twice. */
export const prepareLegacySignIns: Prepare = async (target, count) => {
  const path = "/api/gate-access";
  const requests: RequestParts[] = [];
  for (let index = 0; index < count; index += 1) {
    const place = index % target.holders.length;
    if (place === 0) lastTimestamp = Math.max(lastTimestamp + 1, Date.now());
    const json = await toLegacy(target, target.holders[place]!, { path, timestamp: lastTimestamp });
    requests.push({ method: "POST", path, json });
  }
  return requests;
};

/** A form uses its key up, so each takes another one. */
export const prepareForms: Prepare = async (target, count) => {
  const path = "/api/form-submission-gate";
  const timestamp = Date.now();
  return await Promise.all(
    target.takeUnusedKeys(count).map(async (holder): Promise<RequestParts> => {
      const signed = await toLegacy(target, holder, { path, timestamp });
      return { method: "POST", path, json: { ...signed, message: "May I see the room?" } };
    }),
  );
};

/** Access tokens of all holders. */
export async function signInEach(target: Target): Promise<string[]> {
  const { port, holders } = target;
  const requests = await prepareSignIns(target, holders.length);
  const { bodies } = await generateLoad({ port, requests, count: requests.length, holds: '"accessToken":' });
  return bodies.map((body) => (JSON.parse(body) as { accessToken: string }).accessToken);
}
