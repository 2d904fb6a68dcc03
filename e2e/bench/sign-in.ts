import { createSiweMessage } from "viem/siwe";
import type { Hex } from "viem";
import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import { formMessage } from "./fixed-answers";
import { originOf, toHttp } from "./costs/operation";
import type { Holder, Prepare, PrepareCall, Target } from "./costs/operation";

export type SignedIn = {
  accessToken: string;
  content: { audioData: { audioSrc: string } };
};

const placeholderSignature: Hex = `0x${"1b".repeat(65)}`;
const manyWithinSeconds = 60;

function signMessage({ target, holder, nonce }: { target: Target; holder: Holder; nonce: string }): {
  message: string;
  signature: Hex;
} {
  const uri = originOf(target);
  const message = createSiweMessage({
    address: holder.address,
    chainId: target.chainId,
    domain: new URL(uri).host,
    nonce,
    uri,
    version: "1",
  });
  return { message, signature: target.needsSignatures ? holder.sign(message) : placeholderSignature };
}

function toSignIn(request: { target: Target; holder: Holder; nonce: string }): Record<string, string> {
  const { address, tokenId } = request.holder;
  return { address, tokenId, nonce: request.nonce, ...signMessage(request) };
}

async function takeNonces({
  call: { target, requests, generateLoad },
  nonceRequest,
}: {
  call: PrepareCall;
  nonceRequest: string;
}): Promise<string[]> {
  const { bodies } = await generateLoad({
    port: target.port,
    requests: [nonceRequest],
    repeat: requests,
    connections: 8,
    maxSeconds: manyWithinSeconds,
    expected: { holds: '"nonce":' },
    keepBodies: true,
  });
  return bodies.map((answer) => (JSON.parse(answer) as { nonce: string }).nonce);
}

/** Signed beforehand, each with a nonce of its own, so that a round measures the server and not the wallet. */
export const prepareSignIns: Prepare = async (call) => {
  const { target } = call;
  const nonces = await takeNonces({
    call,
    nonceRequest: toHttp({ target, method: "GET", path: "/api/nonce" }),
  });
  const requests = nonces.map((nonce, index) => {
    const holder = target.holders[index % target.holders.length]!;
    const json = toSignIn({ target, holder, nonce });
    return toHttp({ target, method: "POST", path: "/api/gate-access", json });
  });
  return { requests, expected: { holds: '"accessToken":' } };
};

/** The same messages and signatures for better-auth's plugin. */
export const preparePluginSignIns: Prepare = async (call) => {
  const { target } = call;
  const nonces = await takeNonces({
    call,
    nonceRequest: toHttp({ target, method: "POST", path: "/api/auth/siwe/nonce", json: {} }),
  });
  const requests = nonces.map((nonce, index) => {
    const holder = target.holders[index % target.holders.length]!;
    const json = signMessage({ target, holder, nonce });
    return toHttp({ target, method: "POST", path: "/api/auth/siwe/verify", json });
  });
  return { requests, expected: { holds: '"success":true' } };
};

type ToOlderSignInOptions = {
  target: Target;
  holder: Holder;
  path: string;
  timestamp: number;
};

function toOlderSignIn({
  target,
  holder: { tokenId, address, sign },
  path,
  timestamp,
}: ToOlderSignInOptions) {
  const { chainId, needsSignatures } = target;
  const domain = new URL(originOf(target)).host;
  const envelope = { tokenId, domain, path, method: "POST", chainId, timestamp };
  const signature = needsSignatures ? sign(legacyEnvelopeText(envelope)) : placeholderSignature;
  return { tokenId, signature, address, timestamp };
}

let lastTimestamp = 0;
/** Each signature is valid once, so no holder signs the same moment twice. */
export const prepareOlderSignIns: Prepare = async ({ target, requests: count }) => {
  const path = "/api/gate-access";
  const { holders } = target;
  const requests = Array.from({ length: count }, (_, index) => {
    if (index % holders.length === 0) lastTimestamp = Math.max(lastTimestamp + 1, Date.now());
    const holder = holders[index % holders.length]!;
    const json = toOlderSignIn({ target, holder, path, timestamp: lastTimestamp });
    return toHttp({ target, method: "POST", path, json });
  });
  return { requests, expected: { holds: '"accessToken":' } };
};

/** One key for each, because a key is used up by its form. */
export const prepareForms: Prepare = async ({ target, requests: count }) => {
  const path = "/api/form-submission-gate";
  const timestamp = Date.now();
  const requests = target.takeUnusedKeys(count).map((holder) => {
    const signed = toOlderSignIn({ target, holder, path, timestamp });
    const json = { ...signed, message: formMessage };
    return toHttp({ target, method: "POST", path, json });
  });
  return { requests, expected: { holds: '"success":true' } };
};

/** Tokens of keys that nobody has used, each of another one. */
export async function signInEach({ target, requests, generateLoad }: PrepareCall): Promise<string[]> {
  const holders = target.takeUnusedKeys(requests);
  const prepared = await prepareSignIns({ target: { ...target, holders }, requests, generateLoad });
  const load = { port: target.port, ...prepared, connections: 8, maxSeconds: manyWithinSeconds };
  const { bodies } = await generateLoad({ ...load, keepBodies: true });
  return bodies.map((body) => (JSON.parse(body) as SignedIn).accessToken);
}

/** One sign-in, with all that comes back. */
export async function signInOnce(
  target: Target,
  holder: Holder = target.holders[0]!,
): Promise<{ text: string; answer: SignedIn }> {
  const origin = originOf(target);
  const { nonce } = JSON.parse(await readAnswer(await fetch(`${origin}/api/nonce`))) as { nonce: string };
  const response = await fetch(`${origin}/api/gate-access`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(toSignIn({ target, holder, nonce })),
  });
  const text = await readAnswer(response);
  return { text, answer: JSON.parse(text) as SignedIn };
}

export async function readAnswer(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  return text;
}
